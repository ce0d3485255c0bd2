/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Truth bench: the mesh of accessors whose speed make bench measures, tiny functions in depth. Argument: rounds. */
#include "../mesh.cpp"
