import { useEffect, useState } from 'react'
import { cx } from '#web/lib/browser/cx.ts'

/** URL of a country's flag; '' if the code has none (docs/contracts/screens.md, section 8). */
export async function flagAddress(code: string): Promise<string> {
  if (code === '') return ''
  const { flagAddresses } = await import('./flag-addresses.ts')
  return flagAddresses[`../../../node_modules/country-flag-icons/3x2/${code.toUpperCase()}.svg`] ?? ''
}

/**
 * A country's flag, 3:2. Decorative next to the country's name; without a visible name, `title` shows it on hover. Its space
 * is reserved while loading and stays empty for unknown codes.
 */
export function Flag({ code, title, large = false }: { code: string; title?: string | undefined; large?: boolean }) {
  const [found, setFound] = useState({ code: '', address: '' })
  useEffect(() => {
    let current = true
    // A missing image is no error: the name is next to it.
    flagAddress(code).then(
      (address) => current && setFound({ code, address }),
      () => current && setFound({ code, address: '' }),
    )
    return () => {
      current = false
    }
  }, [code])
  const address = found.code === code ? found.address : ''
  return (
    <span
      title={title}
      className={cx(
        'inline-block shrink-0 overflow-hidden rounded-[2px] align-[-1px]',
        large ? 'h-4 w-6 shadow-[0_0_0_1px_var(--border)]' : 'h-3 w-4.5',
      )}
    >
      {address ? <img src={address} alt="" width={18} height={12} className="block size-full object-cover" /> : null}
    </span>
  )
}
