# SPDX-License-Identifier: GPL-3.0-or-later
# bash completion for insideme-run and insideme-report: their own --help, -v and -f list the words.
_insideme() {
	local tool=$1 word=$2 option=$3 words
	if [ "$word" = = ]; then
		word=	# bash takes "--timing=" for two words
	elif [ "$option" = = ]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case ${tool##*/}:$option in
	insideme-report:-[vf] | insideme-report:--view | insideme-report:--format)
		words=$("$tool" "$option" 2>/dev/null | cut -d ' ' -f 1) ;;
	*:--?*)
		words=$("$tool" --help 2>/dev/null |
			sed -n "s/^ .*$option\[*=\([a-z:]*[|,][a-z:|,]*\).*/\1/p" | tr '|,' '  ') ;;
	esac
	if [ -z "$words" ] && [[ $word == -* ]]; then
		words=$("$tool" --help 2>/dev/null | sed -n 's/^  [- ].[, ] \(--[a-z-]*\).*/\1/p')
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _insideme insideme-run insideme-report
