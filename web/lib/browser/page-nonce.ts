/** Value that our content security policy asks of style sheets that are added later; '' if there is none (development). */
export function pageNonce(): string {
  return document.querySelector<HTMLElement>('script[nonce], style[nonce], link[nonce]')?.nonce ?? ''
}
