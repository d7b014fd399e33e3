/** Use of a disk or memory from which it deserves a look, in percent. */
export const highUsage = 80
/** Use from which something has to be done. */
export const fullUsage = 95
