# Every target is a task of tools/book.py, which also runs without make and says what there is: python3 tools/book.py
PYTHON ?= python3
# Small letters do, too: make check only=softmax.
ONLY ?= $(only)
PART ?= $(part)
ALL ?= $(all)
FOLDER ?= $(folder)
ROSTER ?= $(roster)
POINTS ?= $(points)
CONTAINER ?= $(container)
OPTIONS = $(if $(ONLY),--only "$(ONLY)") $(if $(PART),--part $(PART)) $(if $(ALL),--all) $(if $(FOLDER),--folder "$(FOLDER)") $(if $(ROSTER),--roster "$(ROSTER)") $(if $(POINTS),--points "$(POINTS)") $(if $(CONTAINER),--container "$(CONTAINER)")

.DEFAULT_GOAL := help
.PHONY: FORCE

%: FORCE
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is needed, and no '$(PYTHON)' was found: install it, or say make PYTHON=/path/to/python3."; exit 1; }
	@$(PYTHON) tools/book.py $@ $(OPTIONS)

Makefile FORCE: ;
