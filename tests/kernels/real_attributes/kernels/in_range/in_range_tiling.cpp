// One core does all: there is nothing to cut.
