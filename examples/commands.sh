#!/bin/sh
# SPDX-License-Identifier: MIT
# commands.sh [MIB]: a script as they run in pipelines: it writes a file, sorts it, compresses it, and checks
# the result. Nothing of it has hooks. CPU, memory and I/O of each command are recorded all the same.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
seq 1 $((${1:-16} * 131072)) >numbers		# 8 bytes a line
sort -r numbers >sorted
gzip -1 -k sorted
gzip -dc sorted.gz | cmp - sorted
wc -l <sorted
