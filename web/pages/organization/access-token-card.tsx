import { useState } from 'react'
import type { Organization } from '#shared/doctypes/organization.ts'
import { serverAccessToken } from '#shared/responses/servers.ts'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { refetch } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { CopyField } from '#web/ui/copy-button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'

type Question = 'replace' | 'revoke'

/** The token that servers report with: created and shown once, or revoked. */
export function AccessTokenCard({ organization }: { organization: Organization }) {
  const { checked, dialog } = usePasswordCheck()
  const [question, setQuestion] = useState<Question | null>(null)
  const [token, setToken] = useState<string | null>(null)
  const { busy, failure, attempt } = useAttempt()
  const made = organization.server_access_token_made
  const read = () => refetch(docKey('Organization', organization.name))

  const make = () =>
    attempt(async () => {
      const result = await checked(async () =>
        checkedResult(
          serverAccessToken,
          await runAction('Organization', organization.name, 'make_server_access_token'),
        ),
      )
      if (!result) return
      setQuestion(null)
      setToken(result.server_access_token)
      await read()
    })
  const revoke = () =>
    attempt(async () => {
      await runAction('Organization', organization.name, 'revoke_server_access_token')
      setQuestion(null)
      showToast({ title: t('token.revoked'), variant: 'success' })
      await read()
    })

  return (
    <Card className="tour-access-token">
      <CardHead title={t('token.title')} />
      <CardBody className="grid gap-3">
        <p className="text-table text-muted">{t('token.text')}</p>
        {failure && !question ? <Notice tone="bad">{failure}</Notice> : null}
        <div className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 flex-1 text-table font-medium">
            {made ? (
              <Time variant="standalone" value={made} format={(when) => t('token.made', { when })} />
            ) : (
              t('token.none')
            )}
          </span>
          {made ? <Button onClick={() => setQuestion('revoke')}>{t('token.revoke')}</Button> : null}
          <Button busy={busy && !question} onClick={() => (made ? setQuestion('replace') : void make())}>
            {made ? t('token.again') : t('token.make')}
          </Button>
        </div>
      </CardBody>
      {question ? (
        <AlertDialog
          open
          onOpenChange={(open) => {
            if (!open) setQuestion(null)
          }}
          title={t(`token.${question}_title`)}
          confirmLabel={question === 'replace' ? t('token.again') : t('token.revoke')}
          error={failure}
          onConfirm={question === 'replace' ? make : revoke}
        >
          {t(`token.${question}_text`)}
          {dialog}
        </AlertDialog>
      ) : (
        dialog
      )}
      {token ? (
        <Dialog
          open
          onOpenChange={(open) => {
            if (!open) setToken(null)
          }}
          title={t('token.shown_title')}
          description={t('token.shown_text')}
          footer={
            <Button variant="primary" onClick={() => setToken(null)}>
              {t('token.done')}
            </Button>
          }
        >
          <CopyField value={token} label={t('token.copy')} />
        </Dialog>
      ) : null}
    </Card>
  )
}
