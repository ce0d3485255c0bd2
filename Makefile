# InsideMe. Targets: all check demo bench install clean dist; V=1 shows commands, O=dir builds there,
# DEV=1 adds strict warnings as errors, SAN=address,undefined builds the analyzer under sanitizers.
O ?= build
PREFIX ?= /usr/local
CC ?= gcc
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config
VERSION := 0.1

Q := $(if $(V),,@)
say = $(if $(V),,@echo "  $(1)	$(2)";)

warnings := -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes
warnings += $(if $(DEV),-Werror -Wshadow -Wpointer-arith -Wundef -Wvla)
common := -std=gnu11 -D_GNU_SOURCE -DINSIDEME_VERSION='"$(VERSION)"' $(warnings) -MMD -MP -iquote include

# The recorder must never be instrumented itself, whatever CFLAGS says.
recorder_cflags := $(filter-out -finstrument-functions% -fsanitize%,$(CFLAGS)) $(common) -iquote preload \
	-fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-stack-protector -fno-builtin -fno-lto \
	-fno-tree-loop-distribute-patterns -fno-omit-frame-pointer -fno-plt
recorder_ldflags := -shared -nostartfiles -Wl,-z,now,-z,relro,-z,nodelete,-z,initfirst -Wl,-Bsymbolic \
	-Wl,--no-undefined
sanitize := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all)
tool_cflags := $(CFLAGS) $(common) $(sanitize)

resources_src := $(wildcard preload/resources/*.c)
recorder_src := $(filter-out preload/nop.c,$(wildcard preload/*.c)) $(resources_src)
monitor_src := $(wildcard preload/monitor/*.c) $(resources_src)
monitor_src += preload/log.c preload/sampler.c preload/settings.c preload/text.c preload/rundir.c preload/process_id.c preload/open.c
analyzer_src := $(wildcard analyzer/*.c)

obj = $(patsubst %.c,$(O)/$(1)/%.o,$(2))
recorder_obj := $(call obj,recorder,$(recorder_src))
nop_obj := $(call obj,recorder,preload/nop.c)
monitor_obj := $(call obj,tool,$(monitor_src))
analyzer_obj := $(call obj,tool,$(analyzer_src))
analyzer_libs := $(shell $(PKG_CONFIG) --libs libdw libelf jansson) -lsupc++

all: $(O)/libinsideme.so $(O)/libinsideme-nop.so $(O)/insideme-run $(O)/insideme-report

$(O)/recorder/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(recorder_cflags) -c $< -o $@
$(O)/tool/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(tool_cflags) -iquote preload -iquote analyzer -c $< -o $@

$(O)/libinsideme.so: $(recorder_obj) preload/exports.map
	$(call say,LD,$@)$(CC) $(recorder_ldflags) -Wl,--version-script=preload/exports.map -o $@ $(recorder_obj)
$(O)/libinsideme-nop.so: $(nop_obj)
	$(call say,LD,$@)$(CC) $(recorder_ldflags) -o $@ $(nop_obj)
$(O)/insideme-run: $(monitor_obj)
	$(call say,LD,$@)$(CC) $(sanitize) -o $@ $(monitor_obj)
$(O)/insideme-report: $(analyzer_obj)
	$(call say,LD,$@)$(CC) $(sanitize) -o $@ $(analyzer_obj) $(analyzer_libs) -lm

clean:
	$(Q)rm -rf $(O)

-include $(recorder_obj:.o=.d) $(nop_obj:.o=.d) $(monitor_obj:.o=.d) $(analyzer_obj:.o=.d)
.PHONY: all clean
