#!/bin/sh
# The course as pages that open from disk: course/make.sh FOLDER [LIVE_DATA.js] [PLAYGROUND...]
# With LIVE_DATA.js, what live_rows writes, the lessons have live figures (course/live/live.js).
# Every page of Markdown becomes one of HTML at its place in FOLDER, with contents, search, and what comes before and next; what
# they link to is there too: figures as they are, source files as pages. No page asks for anything outside FOLDER.
# Needs cmark-gfm. The reading order is that of the "Next:" links, from chapter 01 on.
set -eu
cd "$(dirname "$0")/../../.."
out=${1:?which folder?}
shift
live=
case ${1:-} in *.js) live=$1; [ -f "$live" ] || live=; shift ;; esac
playgrounds=$*
command -v cmark-gfm >/dev/null || { echo "make: the pages need cmark-gfm (Debian: apt-get install cmark-gfm; macOS: brew install cmark-gfm)" >&2; exit 1; }
new=$out.new
rm -rf "$new" && mkdir -p "$new"
contents=$(mktemp)
targets=$(mktemp)
trap 'rm -rf "$new" "$contents" "$targets"' EXIT

title_of() { sed -n 's/^# //p' "$1" | head -n 1; }
# Paths without "." and "..": of links, from the folder of their page.
resolve() {
    awk -F/ '{ n = 0
        for (i = 1; i <= NF; i++) if ($i == "..") n--; else if ($i != "." && $i != "") part[++n] = $i
        for (i = 1; i <= n; i++) printf "%s%s", part[i], (i < n ? "/" : "\n") }'
}
# ../ for each folder above a page.
root_of() { echo "$1" | sed 's|[^/]*$||; s|[^/][^/]*/|../|g'; }

# ---- the order of the pages ----
page=chapters/01_next_token/README.md
chain=README.md
while [ -n "$page" ] && ! echo "$chain" | grep -qxF "$page"; do
    chain="$chain
$page"
    next=$(sed -n 's/.*Next: \[[^]]*\](\([^)#]*\)).*/\1/p' "$page" | tail -n 1)
    [ -z "$next" ] || next=$(echo "$(dirname "$page")/$next" | resolve)
    page=$next
done
rest=$(find . -name '*.md' -not -path './.git/*' -not -path './build*' | sed 's|^\./||' | sort | grep -vxF -e "$chain" || true)
pages="$chain
$rest"

escape() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/`//g'; }
# ---- the contents: a list whose links begin at @root@ ----
echo "$pages" | while read -r p; do
    [ "$p" != "$(echo "$rest" | head -n 1)" ] || echo '<li class="gap">'
    class=''
    case $p in chapters/*/README.md) ;; chapters/*/*) class=' class="second"' ;; esac
    printf '<li%s><a href="@root@%s">%s</a>\n' "$class" "${p%.md}.html" "$(title_of "$p" | sed 's/^[0-9]*, *[a-z]* page *· *//' | escape)"
done > "$contents"

# With the playground, each page leads there, with the options of its lesson where it has some.
try_it() {
    [ -n "$playgrounds" ] || return 0
    page=playground.html
    set -- "$2" $(awk -v lesson="$(dirname "$1")" '$1 == lesson { gsub(/&/, "\\&amp;", $2); print $2, $3 }' data/page/playground/lessons.txt)
    printf '<a class="try" href="%s%s%s">Playground</a>' "$1" "${3:-$page}" "${2:+#$2}"
}

# A page around what comes in: its path, its title, its place in the contents.
frame() {
    root=$(root_of "$1")
    cat <<END
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>$(echo "$2" | escape) · Token by Token</title><link rel="stylesheet" href="${root}course.css"><link rel="icon" href="data:,">
</head><body data-root="$root"><a class="skip" href="#text">To the text</a>
<header><a class="home" href="${root}README.html">Token by Token</a>$(try_it "$1" "$root")
<div class="search"><input id="search" type="search" placeholder="Search ( / )" aria-label="Search the course" autocomplete="off"><ol id="found" hidden></ol></div></header>
<div class="columns"><nav aria-label="Contents"><details id="contents" open><summary>Contents</summary><ul>
$(sed "s|@root@\($3\)\"|@root@\1\" aria-current=\"page\"|; s|@root@|$root|" "$contents")
</ul></details></nav>
<main id="text"><article>
END
    cat
    cat <<END
</article></main></div>
<script src="${root}search.js"></script><script src="${root}course.js"></script>
END
    figure=
    [ -z "$live" ] || figure=$(sed -n 's/^<!-- live: \([a-z-]*\) -->$/\1/p' "$1")
    if [ -n "$figure" ]; then
        # What only this figure needs comes after what all need.
        own=live_$figure.js
        [ -f "$(dirname "$live")/$own" ] && own="</script><script src=\"$root$own\">" || own=
        sed "s|src=\"|&$root|g; s|live_data.js\">|&$own|" data/page/course/live/scripts.html
    fi
    echo '</body></html>'
}

# Links to pages of Markdown lead to those of HTML, links to other files to pages of their source; headings get the anchors that
# the links name. What may be wider than the screen scrolls by itself and can be reached by the keyboard: code, tables, and figures,
# which are shown so wide that their smallest letters have 11 pixels. Output that is prose (a line of more than 150 characters) is
# broken instead.
polish() {
    sed -E 's|^<!-- live: ([a-z-]+) -->$|<div data-live="\1"></div>|; s|href="([^":#]*)\.md(#[^"]*)?"|href="\1.html\2"|g; s|href="([^":#]*\.(hpp\|cpp\|sh\|json\|js\|grammar\|gbnf))"|href="\1.html"|g; s|href="(\./\|\.\./)*LICENSE"|&|' |
        awk -v folder="$1" '
             function scrolls(name) { return " tabindex=\"0\" role=\"group\" aria-label=\"" name "\"" }
             # The width at which the smallest letters of a figure have 11 pixels.
             function width_of(file,  line, wide, least, size) {
                 least = 99; wide = 0
                 while ((getline line < file) > 0) {
                     if (!wide && match(line, /viewBox="[^"]*"/)) { split(substr(line, RSTART + 9, RLENGTH - 10), size, " "); wide = size[3] }
                     while (match(line, /font-size[:="]+[0-9.]+/)) {
                         size[1] = substr(line, RSTART, RLENGTH); sub(/[^0-9.]*/, "", size[1])
                         if (size[1] + 0 < least) least = size[1] + 0
                         line = substr(line, RSTART + RLENGTH)
                     }
                 }
                 close(file)
                 return wide ? int(wide * 11 / least + 1) : 0
             }
             /^<pre>/ { block = ""; longest = 0 }
             /^<pre>/, /<\/pre>$/ {
                 block = block (block == "" ? "" : "\n") $0
                 if (length($0) > longest) longest = length($0)
                 if ($0 !~ /<\/pre>$/) next
                 output = block ~ /^<pre><code class="language-text">/
                 sub(/^<pre>/, "<pre" (output && longest > 150 ? " class=\"prose\"" : "") scrolls(output ? "Output" : block ~ /^<pre><code class/ ? "Code" : "Commands") ">", block)
                 print block
                 next
             }
             /^<p><img [^>]*\.svg"[^>]*><\/p>$/ && match($0, /src="[^"]*"/) {
                 wide = width_of(folder "/" substr($0, RSTART + 5, RLENGTH - 6))
                 if (wide) { sub(/<img /, "&style=\"min-width:" wide "px\" "); sub(/^<p>/, "<div class=\"wide\"" scrolls("Figure") ">"); sub(/<\/p>$/, "</div>") }
             }
             /^<h[1-4]>/ { text = tolower($0); gsub(/<[^>]*>/, "", text); gsub(/&[a-z]*;/, "", text); gsub(/[][!"#$%&()*+,.\/:;<=>?@\\^`{|}~\047]/, "", text)
                           gsub(/…|·|–|—|’|→|√/, "", text); gsub(/ /, "-", text); sub(/^<h[1-4]/, "& id=\"" text (seen[text]++ ? "-" seen[text] - 1 : "") "\"") }
             /^<table>/ { $0 = "<div class=\"wide\"" scrolls("Table") ">" $0 } { sub(/<\/table>$/, "</table></div>"); print }'
}

# ---- the pages, the figures, what is searched ----
echo 'globalThis.tbtCourse = [' > "$new/search.js"
echo "$pages" | while read -r p; do
    folder=$(dirname "$p") title=$(title_of "$p")
    mkdir -p "$new/$folder"
    html=$new/${p%.md}.html
    cmark-gfm --unsafe -e table -e strikethrough -e autolink "$p" | LC_ALL=C awk -f data/page/course/formula.awk |
        polish "$folder" | frame "$p" "$title" "${p%.md}.html" > "$html"
    grep -oE '(href|src)="[^":#]+"' "$html" | sed "s|^[a-z]*=\"|$folder/|; s/\"\$//" >> "$targets"
    # Each section: its page, heading, anchor and words.
    awk -v page="${p%.md}.html" -v title="$title" '
        function quoted(s) { gsub(/[\\"]/, "\\\\&", s); gsub(/</, "\\u003c", s); gsub(/[\t\r]/, " ", s); return "\"" s "\"" }
        function flush() { if (words != "") printf "[%s,%s,%s,%s],\n", quoted(page), quoted(title), quoted(heading), quoted(words); words = "" }
        /^```/ { code = !code; next }
        !code && /^##* / { flush(); heading = $0; sub(/^#* */, "", heading); next }
        /^<!--/ { next }
        { gsub(/\]\([^)]*\)/, ""); gsub(/[\[*_|]/, " "); gsub(/  */, " "); words = words " " $0 }
        END { flush() }' "$p" >> "$new/search.js"
done
echo '];' >> "$new/search.js"
# ---- what the pages show and link to, each once ----
sort -u "$targets" | resolve | sort -u | while read -r path; do
    source=${path%.html}
    if [ -f "$path" ]; then mkdir -p "$new/$(dirname "$path")" && cp "$path" "$new/$path"
    elif [ "$source" != "$path" ] && [ -f "$source" ] && [ ! -f "$new/$path" ]; then
        mkdir -p "$new/$(dirname "$path")"
        { echo "<h1>$source</h1><pre tabindex=\"0\" role=\"group\" aria-label=\"Source\"><code>"; sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' "$source"; echo '</code></pre>'; } | frame "$source" "$source" "-" > "$new/$path"
    elif [ -d "$path" ]; then mkdir -p "$new/$path"
    fi
done
cat data/page/page.css data/page/course/course.css > "$new/course.css"
cp data/page/course/course.js "$new/course.js"
printf '<!DOCTYPE html><meta charset="utf-8"><title>Token by Token</title><meta http-equiv="refresh" content="0; url=README.html"><a href="README.html">Token by Token</a>\n' > "$new/index.html"
if [ -n "$live" ]; then
    cp "$(dirname "$live")"/live_*.js "$new/"
    { for part in dom words step wheel; do cat data/page/$part.js; done; for part in live bars chain draft loop json lattice inside masks; do cat data/page/course/live/$part.js; done; echo 'tbt.startLive();'; } > "$new/live.js"
fi
[ -z "$playgrounds" ] || cp $playgrounds "$new/"
rm -rf "$out" && mv "$new" "$out"
echo "$out/index.html: $(echo "$pages" | wc -l | tr -d ' ') pages; open it in a browser"
