/** Puts text on the clipboard; false when the browser refuses. Works without https too. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // No clipboard API on plain http: the old way, inside whatever layer holds the focus.
    const before = document.activeElement
    const area = document.createElement('textarea')
    area.value = text
    area.className = 'sr-only'
    const holder = before?.parentElement ?? document.body
    holder.append(area)
    area.select()
    const done = document.execCommand('copy')
    area.remove()
    if (before instanceof HTMLElement) before.focus()
    return done
  }
}
