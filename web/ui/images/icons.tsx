import type { ReactNode } from 'react'

/**
 * Icons of the public pages. Inlined, because the icon library would add 2 kB before login. Signed-in screens use
 * lucide-react.
 */
function icon(content: ReactNode) {
  return function Icon({ size = 16 }: { size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeLinecap="round"
        strokeLinejoin="round"
        className="shrink-0"
        aria-hidden="true"
      >
        {content}
      </svg>
    )
  }
}

const eye = (
  <path d="M2.5 12C4.7 7.9 8 5.8 12 5.8s7.3 2.1 9.5 6.2c-2.2 4.1-5.5 6.2-9.5 6.2S4.7 16.1 2.5 12z M12 9.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6z" />
)

/** Show. */
export const EyeIcon = icon(eye)
/** Hide. */
export const EyeOffIcon = icon(
  <>
    {eye}
    <path d="M4 4l16 16" />
  </>,
)
/** Dark theme. */
export const MoonIcon = icon(<path d="M20.5 14.2A8.8 8.8 0 1 1 9.8 3.5a7 7 0 0 0 10.7 10.7z" />)
/** Light theme. */
export const SunIcon = icon(
  <path d="M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8z M12 2.5v2 M12 19.5v2 M2.5 12h2 M19.5 12h2 M5.3 5.3l1.4 1.4 M17.3 17.3l1.4 1.4 M5.3 18.7l1.4-1.4 M17.3 6.7l1.4-1.4" />,
)
/** Done, correct. */
export const CheckIcon = icon(<path d="M5 12.6l4.6 4.6L19 7.4" />)
