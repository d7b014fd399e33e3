import type { MessageDescriptor } from '#shared/localized-message.ts'
import { localizedText } from '#web/lib/i18n/localized-text.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'

/** Why a site or server doesn't work, since when, and when it last answered. */
export interface Problem {
  /** Absent if it was not recorded. */
  readonly reason?: string | null | undefined
  readonly reasonI18n?: MessageDescriptor | null | undefined
  readonly since?: string | null | undefined
  /** Null if there never was any contact, undefined if that is unknown. */
  readonly lastContact: string | null | undefined
}

/** The times of a problem as one line. `row`: one of many (see `Time`). */
export function ProblemTimes({
  since,
  lastContact,
  variant = 'standalone',
}: Pick<Problem, 'since' | 'lastContact'> & { variant?: 'row' | 'standalone' }) {
  return (
    <span className="flex flex-wrap gap-x-3">
      {since ? <Time variant={variant} value={since} format={(when) => t('problem.since', { when })} /> : null}
      {lastContact ? (
        <Time variant={variant} value={lastContact} format={(when) => t('problem.contact', { when })} />
      ) : lastContact === null ? (
        <span>{t('problem.no_contact')}</span>
      ) : null}
    </span>
  )
}

/** A problem below the name of a row: its reason, which says what to do and is whole on hover and while the row has the focus, and its times. */
export function ProblemLine({ reason, reasonI18n = null, since, lastContact }: Problem) {
  const { text, lang } = reason ? localizedText(reason, reasonI18n) : { text: t('problem.no_reason'), lang: undefined }
  return (
    <span className="block max-w-80 whitespace-normal">
      <span
        lang={lang}
        title={text}
        className="line-clamp-2 text-fg wrap-anywhere in-[[data-row]:has(:focus-visible)]:line-clamp-none"
      >
        {text}
      </span>
      <ProblemTimes variant="row" since={since} lastContact={lastContact} />
    </span>
  )
}
