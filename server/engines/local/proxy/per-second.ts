/** Rate counter. The returned function adds an amount and returns whether this second's sum is still within the limit. */
export function createRateCounter(most: number): (amount: number) => boolean {
  let windowStart = performance.now()
  let sum = 0
  return (amount) => {
    const now = performance.now()
    if (now - windowStart > 1_000) {
      windowStart = now
      sum = 0
    }
    sum += amount
    return sum <= most
  }
}
