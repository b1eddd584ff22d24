# make -f raptor.mk builds raptor, with the settings of the kit's Makefile. A new bot gets neither.
include Makefile
.DEFAULT_GOAL := raptor

# GCC 12 takes what is in an empty std::optional for uninitialized.
raptor: raptor.cpp $(wildcard raptor_*.hpp) dinobot.hpp views.hpp Makefile raptor.mk
	$(CXX) $(ALL_CXXFLAGS) -Wno-maybe-uninitialized $(LDFLAGS) -o $@ $<
