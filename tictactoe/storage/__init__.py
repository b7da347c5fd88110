"""Everything on disk: file formats, names, solution directories, imports and exports."""
