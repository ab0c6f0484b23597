# Completion of woa for bash. The program says what may follow.
_woa() {
  local words word offers
  read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
  if [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]]; then words+=(""); fi
  word=${words[-1]}
  mapfile -t offers < <("$1" --complete "${words[@]:1}" 2>/dev/null)
  COMPREPLY=("${offers[@]%%$'\t'*}")
  COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*[=:]}"}"}") # bash replaces what follows the last = or : only
}
complete -o default -F _woa woa
