import { useEffect, useState } from 'react'

/** How long typing must rest before it is looked up (docs/contracts/screens.md, section 9). */
export const debounceMs = 300

/** The value, once it has not changed for `ms`. */
export function useDebounced<T>(value: T, ms: number = debounceMs): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
