/** Keys the vendors know: one that may do everything, one that may do too little. */
export const secretOf = { right: 'right-key-0123456789', narrow: 'narrow-key-0123456789' }
