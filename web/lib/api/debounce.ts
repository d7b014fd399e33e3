import { useEffect, useState } from 'react'

/** Delay between the last keystroke and the lookup (docs/contracts/screens.md, section 9). */
export const debounceMs = 300

/** Returns the value after it hasn't changed for `ms`. */
export function useDebounced<T>(value: T, ms: number = debounceMs): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
