#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# insideme-report-mpi: what its readers say together is what one reader says. Of both MPIs, each built here.
load lib

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_orte_tmpdir_base=$BATS_FILE_TMPDIR # or launches at the same time disturb each other

setup_file() {
	local mpi app=$BATS_TEST_DIRNAME/../../analyzer/app libs
	cd "$BATS_FILE_TMPDIR" || return 1
	libs=$(pkg-config --libs libdw libelf jansson zlib)
	for mpi in openmpi mpich; do
		command -v mpicc.$mpi >/dev/null || continue
		mpicc.$mpi -g -O1 -w "$BATS_TEST_DIRNAME/../programs/mpi/late.c" -o late.$mpi
		mpicc.$mpi -D_GNU_SOURCE -iquote "$app/../../include" -iquote "$app/../.." "$app/main_mpi.c" \
			$(find "$TEST_BUILD/tool/analyzer" -name '*.o' ! -path '*/app/main*.o') \
			$libs -lsupc++ -lm -o readers.$mpi
	done
}

# readers MPI N ARGUMENT...
readers() {
	local mpi=$1 nr=$2 more=
	shift 2
	[ $mpi = mpich ] || more=--oversubscribe
	timeout 100 mpirun.$mpi $more -n "$nr" "$BATS_FILE_TMPDIR/readers.$mpi" "$@"
}

# differ VIEW RUN RUN: numbers of views of two profiles that differ by more than rounding
differ() {
	view "$1" "$2" | LC_ALL=C sort >a.csv
	view "$1" "$3" | LC_ALL=C sort >b.csv
	between "rows of $1" 2 "$(wc -l <a.csv)" 10000
	paste -d, a.csv b.csv | awk -F, -v view="$1" '
		NF % 2 { print view ": different columns: " $0; next }
		{ for (i = 1; i <= NF / 2; i++) {
			a = $i; b = $(i + NF / 2)
			if (a != b && !(a ~ /^[0-9.]+$/ && b ~ /^[0-9.]+$/ && (a - b) ^ 2 <= (1 + a / 10000) ^ 2))
				print view ": " b ", expected " a ": " $0
		} }'
}

readers_agree() {
	local mpi=$1 more= nr view
	command -v mpirun.$mpi >/dev/null || skip "needs $mpi"
	[ $mpi = mpich ] || more=--oversubscribe
	timeout 100 mpirun.$mpi $more -n 3 "$build/insideme-run" -q "$BATS_FILE_TMPDIR/late.$mpi" >out
	"$report" --save one
	for nr in 1 2 5; do
		readers $mpi $nr --save many
		for view in functions tree mpi messages late balance processes; do
			differ $view one many >differences
			same "differences of $nr readers" "$(cat differences)" ''
		done
		# the last digit of a sum depends on the order of its parts
		same "losses" "$(view quality many | sed 's/\.[0-9]*,/,/')" "$(view quality one | sed 's/\.[0-9]*,/,/')"
	done
	# who waited for whom needs the calls of ranks that different readers have
	between "waits" 5 "$(view late many | wc -l)" 100
	readers $mpi 3 -v late -f csv >late.csv
	same "what is printed" "$(cat late.csv)" "$(view late one)"
	same "files that are left" "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'insideme-report-*' -newer one)" ''
}

@test "Open MPI: readers together say what one says" { readers_agree openmpi; }
@test "MPICH: readers together say what one says" { readers_agree mpich; }

@test "readers that cannot read" {
	command -v mpirun.mpich >/dev/null || skip "needs MPICH"
	run readers mpich 3 no-such-run
	[ "$status" -ne 0 ]
	same "messages" "$(grep -c insideme-report: <<<"$output")" 1
	"$build/insideme-run" -q true
	run readers mpich 2 --diff last
	same "status" "$status" 2
	same "lines" "$(grep -c 'insideme-report can do more' <<<"$output")" 1
}
