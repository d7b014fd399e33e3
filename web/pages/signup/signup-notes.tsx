import type { ReactNode } from 'react'
import { boot } from '#web/lib/session/boot.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { tNote } from './notes-messages.ts'

/** Why the form isn't shown. */
export type Note =
  | { kind: 'sent'; email: string; by: 'mail' | 'operator' | 'colleague' }
  | { kind: 'no_link' }
  | { kind: 'closed' }
  | { kind: 'failed'; message: string }

/** Shown instead of the signup form; loaded lazily. */
export function SignupNote({ note, haveAccount }: { note: Note; haveAccount: ReactNode }) {
  switch (note.kind) {
    case 'sent':
      return (
        <PublicLayout
          title={tNote(`signup.${note.by}_title`)}
          lead={tNote(`signup.${note.by}_lead`, { email: note.email })}
        >
          <p className="mb-6 text-table text-muted">{tNote(`signup.${note.by}_hint`)}</p>
          {note.by === 'colleague' ? (
            <ButtonLink to="/login" variant="primary" size="xl" block>
              {t('login.submit')}
            </ButtonLink>
          ) : (
            <ButtonLink to="/login" size="xl" block>
              {t('common.back_to_login')}
            </ButtonLink>
          )}
        </PublicLayout>
      )
    case 'no_link':
      return (
        <PublicLayout
          title={tNote('signup.first_title')}
          lead={tNote('signup.first_lead', { product: boot().product_name })}
        >
          <Notice tone="info" title={tNote('signup.link_title')}>
            <p>{tNote('signup.link_text')}</p>
            <p className="mt-2 font-mono text-meta">{location.origin}/web/signup?setup=…</p>
          </Notice>
        </PublicLayout>
      )
    case 'closed':
      return (
        <PublicLayout title={tNote('signup.title')} foot={haveAccount}>
          <Notice tone="info" title={tNote('signup.closed_title')}>
            {tNote('signup.closed_text')}
          </Notice>
        </PublicLayout>
      )
    case 'failed':
      return (
        <PublicLayout title={tNote('signup.invited_failed')} foot={haveAccount}>
          <Notice tone="bad">{note.message}</Notice>
        </PublicLayout>
      )
  }
}
