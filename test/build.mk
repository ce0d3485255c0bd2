# The tests: make check, and what it runs. Each unit test is one cmocka program of one group; each program of
# programs/ is built by gcc and, as NAME.clang, by clang; *_plugin.c are objects to load while running.
bin := $(O)/test/bin
# Tests are built in a folder below O, unless O is that folder already.
check_folder := $(patsubst %/check,%,$(O))/check
program_flags = -g -O2 -finstrument-functions -pthread -Wall -isystem include
real_code := countries

sources = $(filter-out %_plugin,$(filter-out $(real_code),$(basename $(notdir $(wildcard test/programs/*.$(1))))))
programs := $(foreach name,$(call sources,c) $(call sources,cpp),$(bin)/$(name) $(bin)/$(name).clang)
programs += $(addprefix $(bin)/,$(call sources,f90) $(real_code))
programs += $(patsubst test/programs/%.c,$(bin)/%.so,$(wildcard test/programs/*_plugin.c)) $(bin)/witness.so

$(bin)/%: test/programs/%.c
	@mkdir -p $(@D)
	$(call say,CC)gcc $(program_flags) $< -o $@
$(foreach name,streams wide_streams,$(bin)/$(name) $(bin)/$(name).clang): test/programs/let_wait.h
$(foreach name,stepped stepped_hooks,$(bin)/$(name) $(bin)/$(name).clang): test/programs/single_step.h
$(bin)/%.clang: test/programs/%.c
	@mkdir -p $(@D)
	$(call say,CC)clang $(program_flags) $< -o $@
$(bin)/%: test/programs/%.cpp
	@mkdir -p $(@D)
	$(call say,CXX)g++ $(program_flags) $< -o $@
$(bin)/%.clang: test/programs/%.cpp
	@mkdir -p $(@D)
	$(call say,CXX)clang++ $(program_flags) $< -o $@
$(bin)/%: test/programs/%.f90
	@mkdir -p $(@D)
	$(call say,FC)gfortran $(program_flags) -J $(@D) $< -o $@
$(bin)/%.so: test/programs/%.c
	@mkdir -p $(@D)
	$(call say,CC)gcc $(program_flags) -shared -fPIC $< -o $@
$(bin)/witness.so: test/run/witness.c
	@mkdir -p $(@D)
	$(call say,CC)gcc -g -O2 -Wall -shared -fPIC $< -o $@
# Stand-ins for NVIDIA's library, one for each size of its entries.
nvml := $(foreach bytes,16 24 32,$(bin)/nvml-$(bytes)/libnvidia-ml.so.1)
$(nvml): $(bin)/nvml-%/libnvidia-ml.so.1: test/run/nvml.c
	@mkdir -p $(@D)
	$(call say,CC)gcc -g -O2 -Wall -shared -fPIC -DENTRY=$* -Wl,-soname,libnvidia-ml.so.1 $< -o $@
programs += $(nvml)
# For a machine that has a device; not part of make check.
$(bin)/holds: test/gpu/holds.c
	@mkdir -p $(@D)
	$(call say,CC)gcc -g -O2 -Wall $< -o $@
gpu:
	$(Q)$(MAKE) --no-print-directory O=$(check_folder) DEV=1 run-gpu
run-gpu: all $(bin)/holds $(O)/sanitized/insideme-report
	$(Q)TEST_BUILD=$(abspath $(O)) scripts/run-test test/gpu/gpu.bats
.PHONY: gpu run-gpu
# The golden runs, and the texts that views must show of them. After an intended change: make expected
$(bin)/golden: test/logs/golden.c test/unit/build_log.c test/unit/build_marks.c test/unit/build_log.h test/unit/build_marks.h $(wildcard include/*.h)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(test_cflags) $(filter %.c,$^) -o $@
programs += $(bin)/golden
expected:
	$(Q)$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc)) O=$(check_folder) DEV=1 write-expected
write-expected: $(bin)/golden $(O)/sanitized/insideme-report
	$(Q)rm -f test/logs/expected/*.txt && test/logs/show $(abspath $(O)) $(abspath test/logs/expected)
.PHONY: expected write-expected
# Programs built with other options. order has a library of its own.
$(bin)/jumps.fortified: program_flags += -D_FORTIFY_SOURCE=2
$(bin)/calls.nopie: program_flags += -no-pie -fno-pie
$(bin)/calls.noplt: program_flags += -fno-plt
$(bin)/calls.lto: program_flags += -flto
$(bin)/calls.static: program_flags += -static-pie
$(bin)/calls.inlined: program_flags += -O3
calls_variants := $(addprefix $(bin)/calls.,nopie noplt lto static inlined)
$(calls_variants): test/programs/calls.c
$(bin)/jumps.fortified: test/programs/jumps.c
$(calls_variants) $(bin)/jumps.fortified:
	@mkdir -p $(@D)
	$(call say,CC)gcc $(program_flags) $< -o $@
programs += $(calls_variants) $(bin)/jumps.fortified
# Programs without hooks, for samples of stacks.
$(bin)/cpu_sites.nopie $(bin)/cpu_sites.lto $(bin)/sampled.plain $(bin)/locks.plain $(bin)/wait_faults.plain $(bin)/waiting_workers.plain $(bin)/kernel_time.plain: program_flags = -g -O2 -pthread -Wall
# For stacks taken from outside, or copied: without hooks too, also without optimizations and by clang.
standing := $(foreach program,standing dies,$(addprefix $(bin)/$(program).,plain O0 plain.clang))
$(standing): program_flags = -g -O2 -pthread -Wall
$(filter %.O0,$(standing)): program_flags = -g -O0 -pthread -Wall
$(filter $(bin)/standing.%,$(standing)): test/programs/standing.c
$(filter $(bin)/dies.%,$(standing)): test/programs/dies.c
$(standing):
	@mkdir -p $(@D)
	$(call say,CC)$(if $(findstring clang,$@),clang,gcc) $(program_flags) $< -o $@
programs += $(standing)
$(bin)/cpu_sites.nopie: program_flags += -no-pie -fno-pie
$(bin)/cpu_sites.lto: program_flags += -flto
$(bin)/sampled.plain $(bin)/locks.plain $(bin)/wait_faults.plain $(bin)/waiting_workers.plain $(bin)/kernel_time.plain: $(bin)/%.plain: test/programs/%.c
	$(call say,CC)gcc $(program_flags) $< -o $@
$(bin)/cpu_sites.nopie $(bin)/cpu_sites.lto: test/programs/cpu_sites.cpp
	$(call say,CXX)g++ $(program_flags) $< -o $@
programs += $(bin)/sampled.plain $(bin)/locks.plain $(bin)/wait_faults.plain $(bin)/waiting_workers.plain $(bin)/kernel_time.plain $(bin)/cpu_sites.nopie $(bin)/cpu_sites.lto
# Regions of the source: with and without hooks, optimised and not.
regions_variants := $(foreach name,regions regions_cpp,$(addprefix $(bin)/$(name).,plain plain.clang slow slow.clang nopie))
$(filter %.plain %.plain.clang,$(regions_variants)): program_flags := $(filter-out -finstrument-functions,$(program_flags))
$(filter %.slow %.slow.clang,$(regions_variants)): program_flags += -O0
$(filter %.nopie,$(regions_variants)): program_flags += -O0 -no-pie -fno-pie
$(filter $(bin)/regions.%,$(regions_variants)): test/programs/regions.c
$(filter $(bin)/regions_cpp.%,$(regions_variants)): test/programs/regions_cpp.cpp
$(regions_variants): include/insideme.h
	@mkdir -p $(@D)
	$(call say,CC)$(if $(findstring .clang,$@),clang,gcc)$(if $(findstring _cpp,$@),$(if $(findstring .clang,$@),++)) \
		$(program_flags) $(filter test/programs/%,$^) -o $@ $(if $(findstring _cpp,$@),-lstdc++)
programs += $(regions_variants)
# Switches and queries: optimised and not, and without hooks, where only regions are recorded.
switched_variants := $(foreach name,switched asks,$(addprefix $(bin)/$(name).,plain plain.clang slow slow.clang))
$(filter %.plain %.plain.clang,$(switched_variants)): program_flags := $(filter-out -finstrument-functions,$(program_flags))
$(filter %.slow %.slow.clang,$(switched_variants)): program_flags += -O0
$(filter $(bin)/switched.%,$(switched_variants)): test/programs/switched.c
$(filter $(bin)/asks.%,$(switched_variants)): test/programs/asks.c
$(switched_variants): include/insideme.h
	@mkdir -p $(@D)
	$(call say,CC)$(if $(findstring .clang,$@),clang,gcc) $(program_flags) $(filter test/programs/%,$^) -o $@
switched_cpp_variants := $(addprefix $(bin)/switched_cpp.,slow slow.clang)
$(switched_cpp_variants): program_flags += -O0
$(switched_cpp_variants): test/programs/switched_cpp.cpp include/insideme.h
	@mkdir -p $(@D)
	$(call say,CXX)$(if $(findstring .clang,$@),clang++,g++) $(program_flags) $< -o $@
programs += $(switched_variants) $(switched_cpp_variants)
# Exceptions without optimisation.
$(bin)/throws.plain $(bin)/throws.plain.clang: program_flags += -O0
$(bin)/throws.plain $(bin)/throws.plain.clang: test/programs/throws.cpp
	@mkdir -p $(@D)
	$(call say,CXX)$(if $(findstring clang,$@),clang++,g++) $(program_flags) $< -o $@
programs += $(bin)/throws.plain $(bin)/throws.plain.clang
$(bin)/crash.plain $(bin)/crash.plain.clang: program_flags += -O0
$(bin)/crash.plain $(bin)/crash.plain.clang: test/programs/crash.c
	@mkdir -p $(@D)
	$(call say,CC)$(if $(findstring clang,$@),clang,gcc) $(program_flags) $< -o $@
programs += $(bin)/crash.plain $(bin)/crash.plain.clang
$(addprefix $(bin)/,regions regions.clang regions_cpp regions_cpp.clang marks marks.clang switched switched.clang asks asks.clang switched_cpp switched_cpp.clang): include/insideme.h
$(bin)/throws.static: test/programs/throws.cpp
	@mkdir -p $(@D)
	$(call say,CXX)g++ $(program_flags) -static-libstdc++ -static-libgcc $< -o $@
programs += $(bin)/throws.static
# The Fortran module is compiled with the program, with and without hooks.
$(bin)/regions_fortran.plain: program_flags := $(filter-out -finstrument-functions,$(program_flags))
$(bin)/regions_fortran.slow: program_flags += -O0
$(bin)/regions_fortran $(bin)/regions_fortran.plain $(bin)/regions_fortran.slow: include/insideme.f90 test/programs/regions_fortran.f90
	@mkdir -p $@.mod
	$(call say,FC)gfortran $(program_flags) -finstrument-functions-exclude-file-list=insideme.f90 -J $@.mod $^ -o $@
programs += $(bin)/regions_fortran.plain $(bin)/regions_fortran.slow
$(addprefix $(bin)/,pools pools.clang pools_cpp pools_cpp.clang): include/insideme.h
$(bin)/pools_fortran: include/insideme.f90 test/programs/pools_fortran.f90
	@mkdir -p $@.mod
	$(call say,FC)gfortran $(program_flags) -finstrument-functions-exclude-file-list=insideme.f90 -J $@.mod $^ -o $@
$(bin)/cpu_sites $(bin)/cpu_sites.clang $(bin)/brief $(bin)/brief.clang $(bin)/forked_heap $(bin)/forked_heap.clang $(bin)/large_tls $(bin)/large_tls.clang $(bin)/heap_sites $(bin)/heap_sites.clang $(bin)/heap_sites_cpp $(bin)/heap_sites_cpp.clang: program_flags = -g -O2 -pthread -Wall
$(bin)/late_heap $(bin)/late_heap.clang: program_flags = -g -O2 -pthread -Wall
$(bin)/host $(bin)/host.clang: program_flags = -g -O2 -pthread -Wall -Wl,-rpath,'$$ORIGIN'
$(bin)/order $(bin)/order.clang: private program_flags += -Wl,--no-as-needed $(bin)/order_plugin.so -Wl,-rpath,'$$ORIGIN' -Wl,-z,now
$(bin)/order $(bin)/order.clang: $(bin)/order_plugin.so
$(bin)/order_plugin.so: program_flags += -Wl,-soname,order_plugin.so
$(bin)/countries: program_flags += -std=c++17 -isystem /usr/include/eigen3
$(bin)/openmp $(bin)/barriers $(bin)/barriers.clang $(bin)/teams $(bin)/teams.clang: program_flags += -fopenmp

# Unit tests are linked with both sides, built under sanitizers. The tests of run/ use such an analyzer too.
unit_src := $(shell find test/unit -name 'test_*.c')
unit_tests := $(patsubst %.c,$(O)/%,$(unit_src))
sanitized_analyzer := $(call obj,sanitized,$(analyzer_src))
$(O)/sanitized/analyzer.a: $(filter-out %/app/main.o,$(sanitized_analyzer))
	$(Q)rm -f $@; ar rcsP $@ $^
# Of the recorder the rooms that have unit tests, and those that these need.
unit_rooms := $(patsubst test/unit/%,%,$(sort $(dir $(filter test/unit/preload/%,$(unit_src)))))
unit_rooms += preload/state/ preload/monitor/tools/ preload/monitor/stacks/
$(O)/sanitized/preload.a: $(call obj,sanitized,$(sort $(shared_src) $(wildcard $(addsuffix *.c,$(unit_rooms)))))
	$(Q)rm -f $@; ar rcsP $@ $^
unit_helpers := $(call obj,sanitized,$(wildcard test/unit/*.c))
unit_needs := $(unit_helpers) $(O)/sanitized/analyzer.a $(O)/sanitized/preload.a
$(O)/test/unit/%: test/unit/%.c $(unit_needs)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(test_cflags) $< $(unit_needs) -lcmocka $(analyzer_libs) -o $@
# Tests start it thousands of times: without PIE that takes a tenth less.
$(O)/sanitized/insideme-report: $(sanitized_analyzer)
	$(call say,LD)$(CC) $(test_cflags) -no-pie $^ $(analyzer_libs) -o $@

# Built separately with strict warnings, always in the same way. Structure comes first, then units and whole
# runs.
check:
	@scripts/setup --check || true
	$(Q)$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc)) O=$(check_folder) DEV=1 run-tests
# Tests of samples, and MPICH's launchers, need a processor in time. They run last, one per processor.
timed_tests := $(patsubst %,test/run/%.bats,resources attach ranks samples sampler standing_faults)
# Web tests wait a lot, so they are mixed with the others.
side_by_side := $(shell printf '%s\n' $(filter-out $(timed_tests),$(wildcard test/web/*.test.mjs test/run/*.bats)) | sort -t/ -k3)
run-tests: all $(programs) $(unit_tests) $(O)/sanitized/insideme-report test/web/node_modules
	$(Q)TEST_BUILD=$(abspath $(O)) scripts/run-tests -j3 scripts/check-structure $(unit_tests) $(side_by_side)
	$(Q)TEST_BUILD=$(abspath $(O)) scripts/run-tests -j2 $(timed_tests)

# The library that drives a browser.
test/web/node_modules: test/web/package-lock.json
	$(call say,NPM)cd test/web && npm ci --ignore-scripts --loglevel=error >/dev/null && touch node_modules

programs: $(programs)
.PHONY: check run-tests programs

# Long tests. TORTURE="threads ends" runs those files alone. Their programs are built as those of programs/.
torture_programs := $(foreach name,$(basename $(notdir $(wildcard test/torture/*.c))),$(bin)/$(name) $(bin)/$(name).clang)
$(bin)/%: test/torture/%.c
	@mkdir -p $(@D)
	$(call say,CC)gcc $(program_flags) $< -o $@
$(bin)/%.clang: test/torture/%.c
	@mkdir -p $(@D)
	$(call say,CC)clang $(program_flags) $< -o $@
torture:
	$(Q)$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc)) O=$(check_folder) DEV=1 run-torture
run-torture: all $(programs) $(torture_programs) $(O)/sanitized/insideme-report
	$(Q)scripts/torture $(abspath $(O)) $(TORTURE)
.PHONY: torture run-torture

runs:
	$(Q)$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc)) O=$(check_folder) DEV=1 run-runs
run-runs: all $(programs) $(O)/sanitized/insideme-report
	$(Q)test/many-runs $(abspath $(O)) $(RUNS)
.PHONY: runs run-runs
-include $(shell find $(O)/test/unit -name "*.d" 2>/dev/null)

# Benchmarks, beside other profilers. Not part of make check: they measure, and take minutes.
bench_bin := $(O)/bench
bench_programs := $(addprefix $(bench_bin)/,blocks loop loop.plain loop.pg interpreter interpreter.plain mesh mesh.plain exceptions empty forks growth hour locks measure log_bytes paths pauses regions sampling sizes threads unwind waiters ticks.so nothing.so)
bench_cflags := -g -O2 -Wall -pthread
$(bench_bin)/blocks $(bench_bin)/loop $(bench_bin)/interpreter $(bench_bin)/mesh $(bench_bin)/exceptions $(bench_bin)/empty $(bench_bin)/forks $(bench_bin)/growth $(bench_bin)/paths $(bench_bin)/pauses $(bench_bin)/regions $(bench_bin)/sizes $(bench_bin)/threads: bench_cflags += -finstrument-functions
$(bench_bin)/loop.pg: bench_cflags += -pg
$(bench_bin)/ticks.so $(bench_bin)/nothing.so: bench_cflags += -shared -fPIC
$(bench_bin)/nothing.so: bench_cflags += -DEMPTY
$(bench_bin)/loop.plain $(bench_bin)/loop.pg: test/bench/loop.c
$(bench_bin)/interpreter.plain: test/bench/interpreter.c
$(bench_bin)/nothing.so: test/bench/ticks.c
$(bench_bin)/loop.plain $(bench_bin)/loop.pg $(bench_bin)/interpreter.plain $(bench_bin)/nothing.so $(bench_bin)/ticks.so:
	@mkdir -p $(@D)
	$(call say,CC)gcc $(bench_cflags) $< -o $@
$(bench_bin)/ticks.so: test/bench/ticks.c
$(bench_bin)/exceptions: test/bench/exceptions.cpp
$(bench_bin)/mesh $(bench_bin)/mesh.plain: test/bench/mesh.cpp
$(bench_bin)/exceptions $(bench_bin)/mesh $(bench_bin)/mesh.plain:
	@mkdir -p $(@D)
	$(call say,CXX)g++ $(bench_cflags) $< -o $@
$(bench_bin)/%: test/bench/%.c
	@mkdir -p $(@D)
	$(call say,CC)gcc $(bench_cflags) -D_GNU_SOURCE -iquote include -iquote . $^ -o $@
$(bench_bin)/sampling: $(call obj,tool,$(shared_src))
$(bench_bin)/unwind: $(call obj,tool,$(shared_src) $(addprefix preload/monitor/stacks/,target_process.c unwinder.c))
$(bench_bin)/hour: test/bench/hour.c test/unit/build_log.c
	@mkdir -p $(@D)
	$(call say,CC)gcc $(bench_cflags) -D_GNU_SOURCE -iquote include -iquote . $< -lm -o $@
run-tests: $(bench_programs)		# they must keep up with the code that they measure
bench: all $(bench_programs) $(bin)/countries test/web/node_modules
	$(Q)test/bench/run $(abspath $(O))
	$(Q)test/bench/monitors $(abspath $(O))
	$(Q)test/bench/lines $(abspath $(O))
	$(Q)test/bench/stacks $(abspath $(O))
.PHONY: bench

# How true the shares are, beside perf and uftrace. Takes minutes. TRUTH="tiny loops" measures those alone.
truth_names := $(basename $(notdir $(wildcard test/bench/truth/*.c test/bench/truth/*.cpp)))
truth_programs := $(foreach name,$(truth_names),$(bench_bin)/truth/$(name) $(bench_bin)/truth/$(name).plain)
# A function whose last call into libc is a jump does not appear in that call's stack. With hooks it is no
# jump.
truth_plain := -fno-inline -fno-optimize-sibling-calls
truth_flags = -O2 -g -pthread -Wall $(truth_plain) $(if $(filter %.plain,$@),,-finstrument-functions)
define truth_rules
$(bench_bin)/truth/%$(1): test/bench/truth/%.c
	@mkdir -p $$(@D)
	$$(call say,CC)gcc $$(truth_flags) $$< -o $$@
$(bench_bin)/truth/%$(1): test/bench/truth/%.cpp
	@mkdir -p $$(@D)
	$$(call say,CXX)g++ $$(truth_flags) $$< -o $$@
endef
$(eval $(call truth_rules,.plain))
$(eval $(call truth_rules,))
truth: all $(truth_programs)
	$(Q)test/bench/truth/run $(abspath $(O)) $(TRUTH)
.PHONY: truth
