/** A scheduled event of WordPress that should have run this long ago is late, in seconds. */
export const lateEventSeconds = 900
