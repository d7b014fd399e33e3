const longest = 300

/** Output of a script for a message: of an error page what a visitor reads, without tags and styles; at most 300 characters. */
export function shownOutput(output: string): string {
  const start = output.slice(0, 1_000).toLowerCase()
  const isPage = start.includes('<!doctype html') || start.includes('<html')
  const text = isPage ? withoutTags(output.slice(0, 50_000)) : output
  return text.trim().slice(0, longest)
}

function withoutTags(page: string): string {
  const body = page.indexOf('<body')
  const texts = (body === -1 ? page : page.slice(body)).split('<').flatMap((part) => {
    const end = part.indexOf('>')
    // What stands behind these tags is not read.
    return end === -1 || /^(?:script|style|title)\b/i.test(part) ? [] : [part.slice(end + 1)]
  })
  return texts.join(' ').replaceAll('&nbsp;', ' ').replaceAll('&amp;', '&').replaceAll(/\s+/g, ' ')
}
