/*
 * Sanitizes texts entered by users that appear in lists, mails and messages. Bidirectional controls reorder the surrounding
 * text (CVE-2021-42574); control characters break lines, terminals and files.
 */

/** Whether a text has any visible character: fillers, joiners and spaces alone aren't visible. */
function isVisible(text: string): boolean {
  return /[^\p{Default_Ignorable_Code_Point}\p{Cf}\p{Z}\s]/u.test(text)
}

/** Converts a text to one line, without control and bidirectional characters; '' if nothing visible is left. */
export function sanitizeSingleLine(text: string): string {
  const line = text
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return isVisible(line) ? line : ''
}

/** Sanitizes multiline text: keeps tabs and normalizes line breaks; removes other control characters. */
export function sanitizeMultilineText(text: string): string {
  const lines = text
    .replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replaceAll(/\p{Bidi_Control}|(?![\n\t])\p{Cc}/gu, '')
  return isVisible(lines) ? lines : ''
}
