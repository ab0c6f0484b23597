# Completion of woa for fish. The program says what may follow.
function __woa_offers
    set -l words (commandline -opc) (commandline -ct)
    set -l offers ($words[1] --complete $words[2..-1] 2>/dev/null)
    if test (count $offers) -gt 0
        printf '%s\n' $offers
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c woa -f -a '(__woa_offers)'
