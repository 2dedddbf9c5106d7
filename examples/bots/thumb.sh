#!/bin/sh
# A bot for any POSIX shell, with nothing but what the shell has: it bids on what it holds most of, by rule of thumb.
#
# Lines are taken apart by pattern. The protocol promises what this needs: no spaces, `type` first, keys in their
# documented order; and a name cannot be mistaken for a key, because a quote inside a string is written \".

IFS=,   # lists of numbers are split at their commas
share=6 # one unknown die in so many counts for a bid

# The numbers of "KEY":[...] in the line, as $numbers
read_list() {
    numbers=${line#*\"$1\":\[}
    numbers=${numbers%%]*}
}

act() {
    sequence=${line#*\"sequence\":}
    sequence=${sequence%%,*}
    call=${line#*\"calls\":\[\"} # the first of them, if there is one
    call=${call%%\"*}

    unknown=0
    read_list dice
    for dice in $numbers; do unknown=$((unknown + dice)); done
    read_list hand
    hand=$numbers
    for die in $hand; do unknown=$((unknown - 1)); done

    # The bid that is the least beyond what it expects on its face: `over` counts in dice.
    bid='' over=0 face=0
    read_list least
    for least in $numbers; do
        own=0
        for die in $hand; do [ "$die" != "$face" ] || own=$((own + 1)); done
        more=$((least - own - unknown / share))
        if [ "$least" != 0 ] && { [ -z "$bid" ] || [ "$more" -lt "$over" ]; }; then
            bid=${least}x$face over=$more
        fi
        face=$((face + 1))
    done

    # Without a standing bid there is nothing to call.
    case $line in *'"calls":[]'*) call='' ;; esac
    if [ -z "$bid" ] || { [ -n "$call" ] && [ "$over" -gt 1 ]; }; then action=$call; else action=$bid; fi
    echo "{\"action\":\"$action\",\"sequence\":$sequence}"
}

while IFS= read -r line; do
    case $line in
    '{"type":"hello",'*) echo '{"protocol":1,"name":"thumb"}' ;;
    '{"type":"match",'*'"wild":null'*) share=6 ;;
    '{"type":"match",'*) share=3 ;;
    '{"type":"act",'*) act ;;
    '{"type":"bye"'*) exit ;;
    esac
done
