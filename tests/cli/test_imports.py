"""Which modules the command line imports, when, and in which direction."""

from graphlib import TopologicalSorter

import grimp


def test_no_modules_import_each_other_in_a_circle_not_even_inside_functions():
    graph = grimp.build_graph("arena", "engine", "protocol", exclude_type_checking_imports=True, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # CycleError names the modules
