import type { ReactNode } from 'react'
import type { ConnectionName } from '#shared/doctypes/connections.ts'
import { cx } from '#web/lib/browser/cx.ts'

interface ProviderLogo {
  background: string
  logo: ReactNode
}

const white = { fill: 'none', stroke: '#fff' } as const

/** Our own icons in the vendors' colors, not their logos. */
const marks: Readonly<Record<ConnectionName, ProviderLogo>> = {
  hetzner: { background: '#d50c2d', logo: <path d="M7.5 6v12M16.5 6v12M7.5 12h9" {...white} strokeWidth="3" /> },
  digitalocean: {
    background: '#0069ff',
    logo: (
      <>
        <path d="M12 18.4A6.4 6.4 0 1 0 5.6 12" {...white} strokeWidth="3" />
        <path d="M9.4 15h3.2v3.4H9.4zM6.8 15.6h2v2.2h-2z" fill="#fff" />
      </>
    ),
  },
  aws: {
    background: '#232f3e',
    logo: (
      <>
        <path d="M5 13.6L7.7 7h.6L11 13.6M6.2 11.4h3.6" {...white} strokeWidth="1.6" />
        <path d="M12.4 7l1.7 6.4L15.8 8l1.7 5.4L19.2 7" {...white} strokeWidth="1.5" strokeLinejoin="round" />
        <path d="M5 16.4c4 2.6 9.6 2.6 13.6.2" fill="none" stroke="#ff9900" strokeWidth="1.6" strokeLinecap="round" />
      </>
    ),
  },
  wpc: {
    background: '#1f5f8b',
    logo: (
      <path
        d="M8.2 16.4a3.2 3.2 0 0 1 .1-6.4 4.3 4.3 0 0 1 8.2 1.1 2.7 2.7 0 0 1-.3 5.3z"
        {...white}
        strokeWidth="1.75"
        strokeLinejoin="round"
      />
    ),
  },
  bucket: {
    background: '#3f6f4f',
    logo: (
      <>
        <ellipse cx="12" cy="7.6" rx="5.6" ry="1.9" {...white} strokeWidth="1.6" />
        <path d="M6.4 7.8l1.3 8.4c.2 1.1 2 1.9 4.3 1.9s4.1-.8 4.3-1.9l1.3-8.4" {...white} strokeWidth="1.6" />
      </>
    ),
  },
  github: {
    background: '#24292f',
    logo: (
      <>
        <circle cx="8" cy="7" r="1.9" {...white} strokeWidth="1.6" />
        <circle cx="8" cy="17" r="1.9" {...white} strokeWidth="1.6" />
        <circle cx="16" cy="9" r="1.9" {...white} strokeWidth="1.6" />
        <path d="M8 9v6M16 11c0 2.6-3.2 2.6-6.2 4.4" {...white} strokeWidth="1.6" />
      </>
    ),
  },
  slack: {
    background: '#4a154b',
    logo: <path d="M9.6 6v12M14.4 6v12M6 9.6h12M6 14.4h12" {...white} strokeWidth="2.1" strokeLinecap="round" />,
  },
}

/** Colored icon of a vendor, next to its name. */
export function ProviderMark({ name, className = 'size-8' }: { name: ConnectionName; className?: string }) {
  const { background: ground, logo: testRender } = marks[name]
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" className={cx('flex-none rounded-ctl', className)}>
      <rect width="24" height="24" fill={ground} />
      {testRender}
    </svg>
  )
}
