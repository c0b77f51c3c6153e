# Every target is one command of tools/book.py, which also runs without make:
#   python3 tools/book.py book        python3 tools/book.py test
PYTHON ?= python3
BOOK = @command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is needed, and no '$(PYTHON)' was found: install it, or say make PYTHON=/path/to/python3."; exit 1; }; $(PYTHON) tools/book.py

.PHONY: help book test lab notebooks serve bench speed reproduce faults study mutants binder lint format lock clean
.DEFAULT_GOAL := help

help:       ## show this list
	@awk -F ':.*## ' '/^[a-z]+: .*##/ { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

book:       ## build the website into _build/html (sets everything up first)
	$(BOOK) book

test:       ## run every test; 'make test ONLY=softmax': those of one chapter, its page and figures
	$(BOOK) test $(if $(ONLY),--only $(ONLY))

lab:        ## open the chapters in JupyterLab, live
	$(BOOK) lab

notebooks:  ## execute the notebooks and write them back in their committed form
	$(BOOK) notebooks

serve:      ## build the website and serve it at http://localhost:8000
	$(BOOK) serve

bench:      ## measure running times into measured/ (one machine's, marked as such)
	$(BOOK) bench

speed:      ## time the built site in a browser beside its targets (about 25 minutes; for an idle machine)
	$(BOOK) speed

reproduce:  ## execute the notebooks as other processors would and compare every byte (about 5 minutes)
	$(BOOK) reproduce

faults:     ## plant faults in a copy, one at a time: does the right test catch each? (about 10 minutes)
	$(BOOK) faults

study:      ## train the models of the ten-seed tables into measured/ (about two hours, not in CI)
	$(BOOK) study

mutants:    ## change each line of the core in small ways: does a test notice? (about 12 minutes, not in CI)
	$(BOOK) mutants

binder:     ## make Binder's environment without conda, execute every notebook in it (about 12 minutes, not in CI)
	$(BOOK) binder

lint:       ## check the style of Python, notebooks, JavaScript and CSS, and types (a part of make test)
	$(BOOK) lint

format:     ## put the order of imports, JavaScript and CSS in shape
	$(BOOK) format

lock:       ## write requirements.lock and environment.yml anew from requirements.in
	$(BOOK) lock

clean:      ## remove what was built; 'make clean ALL=1' removes the environment too
	$(BOOK) clean $(if $(ALL),--all)
