import { randomInt } from 'node:crypto'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** A password of 24 letters and digits (143 bits): safe in every shell and configuration file. */
export function generatePassword(): string {
  return Array.from({ length: 24 }, () => letters[randomInt(letters.length)]).join('')
}
