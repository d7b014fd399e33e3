/** Keys the vendors accept: one with full access, one with too little. */
export const secretOf = { right: 'right-key-0123456789', narrow: 'narrow-key-0123456789' }
