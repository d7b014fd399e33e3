/** Copies text to the clipboard; false if the browser denies it. Works without HTTPS too. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // There is no clipboard API on plain HTTP. Use `execCommand` inside the layer that has the focus.
    const before = document.activeElement
    const area = document.createElement('textarea')
    area.value = text
    area.className = 'sr-only'
    const container = before?.parentElement ?? document.body
    container.append(area)
    area.select()
    const done = document.execCommand('copy')
    area.remove()
    if (before instanceof HTMLElement) before.focus()
    return done
  }
}
