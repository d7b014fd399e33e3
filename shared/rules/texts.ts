/*
 * Texts that people give things, as others will read them in lists, mails and messages. Bidirectional controls turn the
 * text around them around (CVE-2021-42574), control characters break lines, terminals and files.
 */

/** Whether anything of a text can be seen: fillers, joiners and spaces alone cannot. */
function isVisible(text: string): boolean {
  return /[^\p{Default_Ignorable_Code_Point}\p{Cf}\p{Z}\s]/u.test(text)
}

/** A text on one line, without control and bidirectional characters; '' when nothing of it can be seen. */
export function oneLine(text: string): string {
  const line = text
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return isVisible(line) ? line : ''
}

/** A text of several lines: tabs and line breaks stay, one form for all of them; other control characters go. */
export function severalLines(text: string): string {
  const lines = text
    .replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replaceAll(/\p{Bidi_Control}|(?![\n\t])\p{Cc}/gu, '')
  return isVisible(lines) ? lines : ''
}
