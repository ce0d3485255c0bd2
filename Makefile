# InsideMe. Targets: all, check, torture, gpu, demo, bench, install, clean. V=1 shows the
# commands, O=dir builds there, DEV=1 turns strict warnings into errors, SAN=address,undefined builds the
# tools under sanitizers.
O ?= build
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config
VERSION := 0.1

comma := ,
Q := $(if $(V),,@)
say = $(if $(V),,@echo "  $(1)	$(patsubst $(O)/%,%,$@)";)

warnings := -Wall -Wextra -Wno-unused-parameter -Wstrict-prototypes -Wmissing-prototypes
warnings += $(if $(DEV),-Werror -Wshadow -Wpointer-arith -Wundef -Wvla)
common := -std=gnu11 -D_GNU_SOURCE -DINSIDEME_VERSION='"$(VERSION)"' $(warnings) -MMD -MP \
	-iquote include -iquote .

machine := $(shell $(CC) -dumpmachine)

# The recorder must never be instrumented itself, whatever CFLAGS contains. gcc must not turn its loops and
# structure copies into libc calls, as far as that can be prevented.
recorder_cflags := $(filter-out -finstrument-functions% -fsanitize% -pg -flto%,$(CFLAGS)) $(common) \
	-fPIC -fdata-sections -fvisibility=hidden -ftls-model=initial-exec -fno-stack-protector -fno-builtin \
	-fno-lto \
	$(if $(findstring clang,$(CC)),,-fno-tree-loop-distribute-patterns) -fno-omit-frame-pointer -fno-plt \
	-mgeneral-regs-only $(if $(findstring aarch64,$(machine)),-mno-outline-atomics)
# Two segments instead of four, and none that becomes read-only later: each mapping slows a short program's
# start.
recorder_ldflags := -shared -nostdlib -Wl,-z,now,-z,norelro,-z,noseparate-code,-z,nodelete \
	-Wl,-z,initfirst,-Bsymbolic,--no-undefined,--sort-section=alignment \
	$(addprefix -Wl$(comma)--version-script=,$(if $(findstring x86_64,$(machine)),preload/versions.map))
sanitize := -fno-sanitize-recover=all
# Only cairo's types are used here: insideme-report loads the library when it draws a picture.
cairo_cflags := $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags cairo))
tool_cflags := $(CFLAGS) $(common) $(cairo_cflags) $(if $(SAN),-fsanitize=$(SAN) $(sanitize))
test_cflags := $(CFLAGS:-O2=-O1) $(common) $(cairo_cflags) -fsanitize=address,undefined $(sanitize)
analyzer_libs = $(shell $(PKG_CONFIG) --libs libdw libelf jansson zlib) -lsupc++ -lm

# Rooms are folders: a file's folder decides what it is linked into. preload/common goes into the library and
# into insideme-run.
shared_src := $(wildcard preload/common/*/*.c)
# Memory that is wiped at a fork comes first: then one cut, not two, makes it a mapping of its own.
first_src := preload/state/live.c
not_recorder := preload/nop_hooks.c preload/monitor/% preload/mpi/% $(first_src)
recorder_src := $(first_src) $(shared_src) $(filter-out $(not_recorder),$(wildcard preload/*.c preload/*/*.c))
monitor_src := $(wildcard preload/monitor/*.c preload/monitor/*/*.c) $(shared_src)
mpi_report_src := analyzer/app/main_mpi.c
analyzer_src := $(filter-out $(mpi_report_src),$(wildcard analyzer/*/*.c))

obj = $(patsubst %.c,$(O)/$(1)/%.o,$(2))
recorder_obj := $(call obj,recorder,$(recorder_src))
nop_obj := $(call obj,recorder,preload/nop_hooks.c)
mpi_obj := $(call obj,recorder,$(wildcard preload/mpi/*.c))
monitor_obj := $(call obj,tool,$(monitor_src))
analyzer_obj := $(call obj,tool,$(analyzer_src))
# Where man looks for the manual of a program whose folder is in PATH.
man_pages := $(foreach n,1 7,$(patsubst doc/%,$(O)/man/man$n/%,$(wildcard doc/*.$n)))

compilers := $(addprefix $(O)/insideme-,cc c++ fc)
# Parts of programs that insideme-cc links; the second one calls in x86-64's assembler.
own_objects := $(O)/insideme-lines.o $(if $(filter x86_64,$(shell uname -m)),$(O)/insideme-line-events.o)

# Readers that share the work for a large run; for the MPI that mpicc is of.
MPICC ?= mpicc
mpi_report := $(if $(shell command -v $(MPICC)),$(O)/insideme-report-mpi)

all: $(O)/libinsideme.so $(O)/libinsideme-nop.so $(O)/libinsideme-mpi.so $(own_objects) \
	$(O)/insideme-run $(O)/insideme-report $(mpi_report) $(compilers) $(man_pages)

# A change of flags rebuilds all objects.
$(O)/flags: FORCE
	@mkdir -p $(O)
	@echo '$(CC) $(recorder_cflags) $(tool_cflags)' | cmp -s - $@ || \
		echo '$(CC) $(recorder_cflags) $(tool_cflags)' > $@

$(O)/recorder/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(recorder_cflags) $(own) -c $< -o $@
# The hot path: leaving out the frame pointer saves 0.3 ns a call, and functions begin at a cache line.
$(O)/recorder/preload/hooks/hooks.o: own := -fomit-frame-pointer -falign-functions=64
$(O)/recorder/preload/wraps/wrap_malloc.o: own := -fomit-frame-pointer
# Of a thread that waits in read() insideme-run knows the stack pointer, not the frame pointer.
$(O)/recorder/preload/wraps/wrap_waits.o $(O)/recorder/preload/wraps/wrap_streams.o: own := \
	-fomit-frame-pointer
# printf() and its like take floating-point numbers, which come in the registers that all else leaves alone.
$(O)/recorder/preload/wraps/wrap_streams.o: private recorder_cflags := \
	$(filter-out -mgeneral-regs-only,$(recorder_cflags))
# Without debug information: else reports would show our sources as those of MPI's functions.
$(mpi_obj): own := -fbuiltin -g0
$(O)/tool/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(tool_cflags) $(own) -c $< -o $@
$(O)/sanitized/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(test_cflags) $(own) -c $< -o $@

$(O)/libinsideme.so: $(recorder_obj)
	$(call say,LD)$(CC) $(recorder_ldflags) -Wl,-soname,$(@F) -o $@ $(recorder_obj) -lgcc
$(O)/libinsideme-nop.so: $(nop_obj)
	$(call say,LD)$(CC) $(recorder_ldflags) -Wl,-soname,$(@F) -o $@ $(nop_obj) -lgcc
$(O)/libinsideme-mpi.so: $(mpi_obj)
	$(call say,LD)$(CC) -shared -Wl,-soname,$(@F) -o $@ $(mpi_obj)
# They become part of programs, so they have no debug information of ours.
$(own_objects): $(O)/insideme-%.o: include/insideme.h $(O)/flags
$(O)/insideme-lines.o: include/insideme_lines.c
$(O)/insideme-line-events.o: include/insideme_line_events.c
$(own_objects):
	$(call say,CC)$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -fPIC $(warnings) -Wno-vla -iquote include \
		-c $(filter %.c,$^) -o $@
$(O)/insideme-run: $(monitor_obj)
	$(call say,LD)$(CC) $(if $(SAN),-fsanitize=$(SAN)) -o $@ $(monitor_obj)
$(O)/insideme-report: $(analyzer_obj)
	$(call say,LD)$(CC) $(if $(SAN),-fsanitize=$(SAN)) -o $@ $(analyzer_obj) $(analyzer_libs)

$(O)/tool/$(mpi_report_src:.c=.o): $(mpi_report_src) $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(MPICC) $(tool_cflags) -c $< -o $@
$(O)/insideme-report-mpi: $(O)/tool/$(mpi_report_src:.c=.o) $(filter-out %/app/main.o,$(analyzer_obj))
	$(call say,LD)$(MPICC) $(if $(SAN),-fsanitize=$(SAN)) -o $@ $^ $(analyzer_libs)

# The html page is a file until insideme-report is linked with it. It is rebuilt when npm is installed.
web := $(filter-out analyzer/web/node_modules%,$(wildcard analyzer/web/*.* analyzer/web/*/*.js))
$(O)/npm: FORCE
	@mkdir -p $(O)
	@command -v npm | cmp -s - $@ || command -v npm > $@ || true
$(O)/page.html: scripts/build-page $(O)/npm $(web)
	$(call say,PAGE)scripts/build-page $(abspath $@)
page_objects := $(O)/tool/analyzer/page/page.o $(O)/sanitized/analyzer/page/page.o
$(page_objects): $(O)/page.html
$(page_objects): own := -DPAGE_FILE='"$(abspath $(O)/page.html)"'

# One script, which depends on the name that it is called by.
$(compilers): scripts/insideme-cc
	$(call say,COPY)install -m 755 $< $@

# Options in a manual come from the program's own table of options.
$(man_pages): $(wildcard doc/*.1 doc/*.7) scripts/manual.awk $(O)/insideme-run $(O)/insideme-report
	@mkdir -p $(@D)
	$(call say,MAN){ $(O)/$(if $(findstring report,$@),insideme-report,insideme-run) --help; \
		$(O)/insideme-report -v | sed 's/^/VIEW /'; \
		$(O)/insideme-report -f | sed 's/^/FORMAT /'; } | \
		awk -v version=$(VERSION) -f scripts/manual.awk - doc/$(@F) > $@

include test/build.mk

# The library is in a folder of its own, where insideme-run finds it, and has links where ld.so finds it.
lib := $(DESTDIR)$(PREFIX)/lib
completions := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
install: all
	install -d $(lib)/insideme $(lib)/pkgconfig $(DESTDIR)$(PREFIX)/bin \
		$(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 755 $(O)/insideme-run $(O)/insideme-report $(mpi_report) $(compilers) \
		$(DESTDIR)$(PREFIX)/bin
	install -m 755 $(O)/libinsideme.so $(O)/libinsideme-nop.so $(O)/libinsideme-mpi.so $(lib)/insideme
	install -m 644 $(own_objects) $(lib)/insideme
	ln -sf insideme/libinsideme.so insideme/libinsideme-nop.so $(lib)
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's/@VERSION@/$(VERSION)/' scripts/insideme.pc.in > \
		$(lib)/pkgconfig/insideme.pc
	install -m 644 $(filter %.1,$(man_pages)) $(DESTDIR)$(PREFIX)/share/man/man1
	ln -sf insideme-cc.1 $(DESTDIR)$(PREFIX)/share/man/man1/insideme-c++.1
	ln -sf insideme-cc.1 $(DESTDIR)$(PREFIX)/share/man/man1/insideme-fc.1
	install -m 644 $(filter %.7,$(man_pages)) $(DESTDIR)$(PREFIX)/share/man/man7
	install -d $(completions)
	install -m 644 scripts/completion.bash $(completions)/insideme-run
	ln -sf insideme-run $(completions)/insideme-report
	install -d $(DESTDIR)$(PREFIX)/include
	install -m 644 include/insideme.h include/insideme.f90 $(DESTDIR)$(PREFIX)/include
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/after-install

# The sources, with the page as npm builds it, for machines without npm.
dist: $(O)/page.html
	@test -s $< || { echo "dist: there is no page: install npm" >&2; exit 1; }
	$(Q)rm -rf $(O)/dist && mkdir -p $(O)/dist && \
		git archive --prefix=insideme-$(VERSION)/ HEAD | tar -x -C $(O)/dist
	$(Q)cp $< $(O)/dist/insideme-$(VERSION)/analyzer/web/built.html
	$(call say,TAR)tar -czf $(O)/insideme-$(VERSION).tar.gz -C $(O)/dist insideme-$(VERSION)

demo: all $(O)/test/bin/countries
	@scripts/demo $(O)

clean:
	$(Q)rm -rf $(O)

all_obj := $(recorder_obj) $(nop_obj) $(mpi_obj) $(monitor_obj) $(analyzer_obj)
-include $(all_obj:.o=.d) $(shell find $(O)/sanitized -name "*.d" 2>/dev/null)
.DELETE_ON_ERROR:
.PHONY: all dist install demo clean FORCE
