# Reads lines "cold PATTERN", "source FILE.cpp" and "includes FILE FILE" (see rules.sh), and prints rules without recipes for make
# (the recipes are in lib/build/*.mk):
#
#   rooms      The .cpp files of a folder are compiled in one go, so that the headers they share are read only once. Programs and
#              kernels are compiled alone. A folder has up to four rooms: files that `make run` needs and other files (-more), each
#              hot or cold (-O1).
#   archives   There is one for lib/train, one for lib/grammar, one for the rest of lib, and one for each chapter that has .cpp
#              files besides its programs.
#   programs   main.cpp is a chapter's program, NAME_main.cpp another one called NAME. It is linked with the archives of the
#              chapters whose headers it includes, directly or through others. The program of chapter 23, which a fresh clone runs
#              first, is linked only with the rooms and objects that it needs, so that nothing else is compiled for it.
#   tests      There are rooms of twelve files, and a program for each group (a group is a folder: 03, lib, golden). The exercises'
#              tests are compiled twice, with the solutions and with the learner's files.

function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
function base(path) { sub(/.*\//, "", path); sub(/\.[ch]pp$/, "", path); return path }
function is_program(file) { return file ~ /(^|\/|_)main\.cpp$/ }
function object(file) { sub(/\.cpp$/, ".o", file); return build "/obj/" file }
# The server needs an HTTP library, so it is a unit of its own, and nothing else is linked with it.
function chapter_of(file,  part) {
    split(file, part, "/")
    return part[1] != "chapters" ? "" : part[3] == "server" ? part[3] : part[2]
}
function add(list, word) { return list == "" ? word : list " " word }

# ---- what is read ----
$1 == "cold" {
    hot = sub(/^-/, "", $2)
    if ($2 == "json") { json_is_cold = 1; next }
    gsub(/\./, "[.]", $2); gsub(/\*/, ".*", $2)
    if (hot) hot_pattern = hot_pattern (hot_pattern == "" ? "" : "|") "^" $2 "$"
    else cold_pattern = cold_pattern (cold_pattern == "" ? "" : "|") "^" $2 "$"
    next
}
$1 == "source" { source[++sources] = $2; exists[$2] = 1; next }
{
    # The tests of exercises include 03_1_name.hpp, which is in solutions or in exercises.
    if ($3 ~ /^[0-9][0-9]_[0-9]/) { include($2, "solutions/" $3); $3 = "exercises/" $3 }
    include($2, $3)
}
function include(from, to) { used[from, ++count[from]] = to; header[to] = 1 }

# Does this file include the JSON header, directly or through others?
function sees_json(file,  i) {
    if (file in json) return json[file]
    json[file] = file == "lib/machine/json_file.hpp"
    for (i = 1; i <= count[file]; i++) if (sees_json(used[file, i])) json[file] = 1
    return json[file]
}
function is_cold(file) {
    if (cold_option == "" || (hot_pattern != "" && file ~ hot_pattern)) return 0
    return file ~ cold_pattern || (json_is_cold && sees_json(file))
}

# needed[FILE]: the .cpp files that a program is made of. Each header that it includes, directly or through others, needs the .cpp
# file of the same name. A .cpp file without such a header is needed by all files of its folder.
function need(file,  i, own) {
    if (file in needed) return
    needed[file] = 1
    for (i = 1; i <= count[file]; i++) need(used[file, i])
    own = file
    if (sub(/\.hpp$/, ".cpp", own) && own in exists) need(own)
    for (i = 1; i <= headerless[folder(file)]; i++) need(without_header[folder(file), i])
}

# ---- compiling ----
function precompiled(file) { return build "/pch/" (sees_json(file) ? "json" : "std") ".hpp.gch" }
function is_alone(file) {
    return file ~ /^(exercises|tests)\// || file ~ /^lib\/(kernels|core|select|quantized)\// || file == "lib/model/attention.cpp" || is_program(file)
}
function room_of(file,  name) {
    name = folder(file); gsub(/\//, "-", name)
    return build "/obj/rooms/" name (file in needed ? "" : "-more") (is_cold(file) ? cold_option : "") ".o"
}
function compiled(file) { return is_alone(file) ? object(file) : room_of(file) }
function compile(file) {
    if (is_alone(file)) {
        print object(file) ": " precompiled(file)
        if (is_cold(file)) cold_alone = add(cold_alone, object(file))
        return
    }
    put_in_room(room_of(file), file)
    if (sees_json(file)) room_json[room_of(file)] = 1
}
function put_in_room(room, file) {
    if (!(room in room_files)) room_name[++rooms] = room
    room_files[room] = add(room_files[room], file)
}
# The list of a room's files is in a file of its own. It is rewritten only when the list changes; then the room is compiled again.
function write_list(room,  file, old) {
    file = room; sub(/\.o$/, ".files", file)
    old = ""; getline old < file; close(file)
    if (old == room_files[room]) return file
    system("mkdir -p " folder(file))
    print room_files[room] > file; close(file)
    return file
}

# ---- archives ----
function archive(name) { return build "/lib" name ".a" }
# Rooms of lib that few programs need have an archive of their own.
function room_of_lib(file,  part) { split(file, part, "/"); return file ~ /^lib\/(train|grammar)\// ? part[2] : "" }
function archive_of(file) { return room_of_lib(file) != "" ? room_of_lib(file) : file ~ /^lib\// ? "tbt" : chapter_of(file) }
function put_in_archive(name, part) {
    if ((name, part) in is_part) return
    is_part[name, part] = 1
    parts[name, ++part_count[name]] = part
}
# The unit of a file, to find out which archives are needed: a chapter, such a room of lib, or the file itself.
function unit(file) { return file ~ /^chapters\// ? chapter_of(file) : room_of_lib(file) != "" ? room_of_lib(file) : file }
function uses(from, to) {
    if (from == to || (from, to) in uses_known) return
    uses_known[from, to] = 1
    unit_used[from, ++unit_count[from]] = to
}
function reach(u,  i) {
    if (u in reached) return
    reached[u] = 1
    for (i = 1; i <= unit_count[u]; i++) reach(unit_used[u, i])
}
# The archives for these files (and what they include): later chapters first, then train and grammar, then lib.
function archives_for(files,  n, i, file, list) {
    for (i in reached) delete reached[i]
    n = split(files, file, " ")
    for (i = 1; i <= n; i++) reach(unit(file[i]))
    list = ""
    for (i = chapters; i >= 1; i--) if (chapter[i] in reached && chapter[i] in part_count) list = add(list, archive(chapter[i]))
    if ("train" in reached) list = add(list, archive("train"))
    if ("grammar" in reached) list = add(list, archive("grammar"))
    return add(list, archive("tbt"))
}

# ---- tests ----
function group_of(file) { return base(folder(file)) }
function test_header(file_list,  i, n, file) {
    n = split(file_list, file, " ")
    for (i = 1; i <= n; i++) if (sees_json(file[i])) return build "/pch/tests-O0/catch_json.hpp.gch"
    return build "/pch/tests-O0/catch.hpp.gch"
}
# Rooms of twelve files each, named after the group and the number of files left. Prints their rules; returns their objects.
function test_rooms(name, file_list,  n, file, i, room, all) {
    n = split(file_list, file, " "); all = ""
    for (i = 1; i <= n; i++) {
        if (i % 12 == 1) { room = build "/obj/tests/" name "-" n - i + 1 ".o"; all = add(all, room) }
        room_files[room] = add(room_files[room], file[i])
    }
    n = split(all, file, " ")
    for (i = 1; i <= n; i++) {
        print file[i] ": " room_files[file[i]] " " write_list(file[i]) " " test_header(room_files[file[i]])
        all_test_rooms = add(all_test_rooms, file[i])
    }
    return all
}
function test_program(name, file_list, rooms, more) {
    print build "/tests-" name ": " rooms " " (more == "" ? "" : more " ") build "/obj/tests/main.o " archives_for(file_list)
    print "TEST_ROOMS_" name " := " rooms
}

END {
    for (i = 1; i <= sources; i++) {
        file = source[i]
        own = file; sub(/\.cpp$/, ".hpp", own)
        if (file ~ /^(lib|chapters)\// && !(own in header) && !is_program(file))
            without_header[folder(file), ++headerless[folder(file)]] = file
        if (chapter_of(file) != "" && !(chapter_of(file) in is_chapter)) {
            is_chapter[chapter_of(file)] = 1
            chapter[++chapters] = chapter_of(file)
        }
    }
    need("chapters/23_text_generator/main.cpp")
    for (file in count) for (i = 1; i <= count[file]; i++) uses(unit(file), unit(used[file, i]))

    # Sources of lib, chapters and the screen of make learn.
    for (i = 1; i <= sources; i++) {
        file = source[i]
        if (file ~ /^tests\// || file ~ /^lib\/kernels\/wasm\//) continue
        compile(file)
        if (!is_program(file) && file !~ /^exercises\//) put_in_archive(archive_of(file), compiled(file))
        if (file in needed) put_in_archive("23", compiled(file))
    }
    for (i = 1; i <= rooms; i++) {
        room = room_name[i]
        print room ": " room_files[room] " " write_list(room) " " build "/pch/" (room in room_json ? "json" : "std") ".hpp.gch"
        all_rooms = add(all_rooms, room)
        if (chapter_of(room_files[room]) == "server") server_rooms = add(server_rooms, room)
    }
    print "ROOMS := " all_rooms
    print "SERVER_ROOMS := " server_rooms
    print "COLD_ALONE := " cold_alone

    # Archives; LIBRARY is all of them but the server's.
    for (i = chapters; i >= 1; i--) if (chapter[i] in part_count) list = add(list, chapter[i])
    n = split(list " train grammar tbt", name, " ")
    for (i = 1; i <= n; i++) {
        printf "%s:", archive(name[i])
        for (k = 1; k <= part_count[name[i]]; k++) printf " %s", parts[name[i], k]
        print ""
        if (name[i] != "server") library = add(library, archive(name[i]))
    }
    print "LIBRARY := " library
    print "SERVER := " archive("server")

    # Programs.
    for (i = 1; i <= sources; i++) {
        file = source[i]
        if (!is_program(file) || file !~ /^chapters\//) continue
        if (file ~ /\/main\.cpp$/) {
            program = chapter_of(file)
            program_names = add(program_names, program)
            short = program; sub(/_.*/, "", short)
            print "run-" short ": run-" program " ;"  # no recipe, or run-% would refuse it
        } else {
            program = base(file); sub(/_main$/, "", program)
            tool_names = add(tool_names, program)
        }
        if (program != "23_text_generator") print build "/" program ": " object(file) " " archives_for(file)
    }
    for (k = 1; k <= part_count["23"]; k++) run_parts = add(run_parts, parts["23", k])
    print "RUN_OBJECTS := " run_parts
    print build "/23_text_generator: " run_parts
    print "CHAPTERS := " program_names
    print "TOOLS := " tool_names

    # Tests.
    for (i = 1; i <= sources; i++) {
        file = source[i]
        if (file ~ /^tests\/(lib|golden|api|bits|serving|chapters\/[^\/]*)\/[^\/]*\.cpp$/ || file == "tests/fuzz/replay.cpp") {
            group = group_of(file)
            if (!(group in members)) groups = add(groups, group)
            members[group] = add(members[group], file)
        } else if (file ~ /^tests\/exercises\/ex[^\/]*\.cpp$/) exercise_tests = add(exercise_tests, file)
        else if (file ~ /^tests\/exercises\/[^\/]*\.cpp$/) witnesses = add(witnesses, object(file))
        else if (file ~ /^tests\/bench\/[^\/]*\.cpp$/) bench_objects = add(bench_objects, object(file))
        else if (file ~ /^exercises\/learn\//) learn_objects = add(learn_objects, object(file))
    }
    n = split(groups, name, " ")
    for (i = 1; i <= n; i++) test_program(name[i], members[name[i]], test_rooms(name[i], members[name[i]]))
    test_program("solutions", exercise_tests, test_rooms("solutions", exercise_tests), witnesses)
    test_program("exercises", exercise_tests, test_rooms("exercises", exercise_tests), witnesses)
    print "TEST_GROUPS := " groups
    print "TEST_ROOMS := " all_test_rooms
    print "WITNESSES := " witnesses
    print build "/bench: " bench_objects " " archive("server") " " library
    print build "/learn: " learn_objects " " archive("tbt")

    # The archives for an exercise, and for what `make try` shows of it.
    n = split(exercise_tests, name, " ")
    for (i = 1; i <= n; i++) print "ARCHIVES_" base(name[i]) " := " archives_for(name[i])
    for (file in count) if (file ~ /^exercises\/[0-9].*_try\.cpp$/) {
        exercise = base(file); sub(/_try$/, "", exercise)
        print "ARCHIVES_try-" exercise " := " archives_for(file)
    }
}
