import { useState } from 'react'
import {
  newPassword,
  usersPerPage,
  wordpressUsers,
  type WordPressFacts,
  type WordPressUser,
} from '#shared/responses/wordpress.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { SearchInput } from '#web/ui/form/search-input.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { AddButton } from './add-button.tsx'
import { AddUserDialog } from './add-user-dialog.tsx'
import { DeleteUserDialog } from './delete-user-dialog.tsx'
import { t } from './messages.ts'
import { PasswordDialog, type ShownPassword } from './password-dialog.tsx'
import { RenameUserDialog } from './rename-user-dialog.tsx'
import { changeRole, setSuperAdmin } from './user-changes.ts'
import { UserLine, type UserQuestion } from './user-line.tsx'
import type { WordPress } from './use-wordpress.ts'

type Question = { readonly kind: 'add' } | { readonly kind: UserQuestion; readonly user: WordPressUser }

/** The users of a site's WordPress. Always read from the site: they are people's data, which is not stored here. */
export function UsersCard({ wordpress, facts }: { wordpress: WordPress; facts: WordPressFacts }) {
  const { site, held, change } = wordpress
  const [search, setSearch] = useState('')
  const [page, setPage] = useState(0)
  const [question, setQuestion] = useState<Question | null>(null)
  const [shown, setShown] = useState<ShownPassword | null>(null)
  const loaded = useMethod(
    site.status === 'Live' || site.status === 'Failed' ? 'run_doc_method' : null,
    { dt: 'Site', dn: site.name, method: 'wordpress_users', args: { search, page } },
    { verb: 'POST', returns: wordpressUsers, keepPrevious: true, revalidateOnFocus: false },
  )
  const { rows, total = 0 } = loaded.data ?? {}
  const close = () => setQuestion(null)
  const done = async (made: ShownPassword | null) => {
    close()
    if (made) setShown(made)
    await loaded.reload()
  }
  const reset = async ({ login }: WordPressUser) => {
    const made = await change('reset_wordpress_password', { login }, { key: `user ${login}`, returns: newPassword })
    await done(made !== null && made !== true ? { login, password: made.password } : null)
  }
  return (
    <Card aria-labelledby="wordpress-users">
      <CardHead id="wordpress-users" title={t('users.title')} subtitle={loaded.data ? String(total) : undefined} lined>
        <AddButton held={held} label={t('users.add')} onClick={() => setQuestion({ kind: 'add' })} />
      </CardHead>
      <div className="border-b border-hairline px-4 py-2">
        <SearchInput
          className="md:w-56"
          label={t('users.search')}
          text={search}
          onChange={(text) => {
            setSearch(text)
            setPage(0)
          }}
        />
      </div>
      {loaded.error && !rows ? (
        <CardBody className="pt-3">
          <ErrorPanel
            className="flex items-start gap-3"
            title={t('users.error')}
            error={loaded.error}
            onRetry={() => loaded.reload()}
          />
        </CardBody>
      ) : rows?.length === 0 ? (
        <EmptyState title={t('users.none')} />
      ) : (
        <ul aria-busy={rows === undefined} className="divide-y divide-hairline">
          {rows === undefined ? (
            <li className="flex min-h-14 items-center px-4">
              <Skeleton className="h-4 w-64" />
            </li>
          ) : (
            rows.map((user) => (
              <UserLine
                key={user.login}
                user={user}
                wordpress={wordpress}
                roles={facts.roles}
                onAsk={(kind) => setQuestion({ kind, user })}
                onRole={(role) => changeRole({ wordpress, roles: facts.roles, reload: loaded.reload }, user, role)}
              />
            ))
          )}
        </ul>
      )}
      {total > usersPerPage ? <Pager page={page} total={total} onPage={setPage} /> : null}
      {question?.kind === 'add' ? (
        <AddUserDialog site={site} roles={facts.roles} onClose={close} onDone={(made) => void done(made)} />
      ) : null}
      {question?.kind === 'reset' ? (
        <AlertDialog
          open
          onOpenChange={close}
          danger={false}
          title={t('users.reset_title', { login: question.user.login })}
          confirmLabel={t('users.reset_confirm')}
          onConfirm={() => reset(question.user)}
        >
          {t('users.reset_text')}
        </AlertDialog>
      ) : null}
      {question?.kind === 'super_admin' ? (
        <AlertDialog
          open
          onOpenChange={close}
          danger={!question.user.super_admin}
          title={t(question.user.super_admin ? 'users.super_remove_title' : 'users.super_add_title', {
            login: question.user.login,
          })}
          confirmLabel={t(question.user.super_admin ? 'users.super_remove_confirm' : 'users.super_add_confirm')}
          onConfirm={async () => {
            await setSuperAdmin({ wordpress, reload: loaded.reload }, question.user.login, !question.user.super_admin)
            close()
          }}
        >
          {t(question.user.super_admin ? 'users.super_remove_text' : 'users.super_add_text')}
        </AlertDialog>
      ) : null}
      {question?.kind === 'rename' ? (
        <RenameUserDialog site={site} login={question.user.login} onClose={close} reload={loaded.reload} />
      ) : null}
      {question?.kind === 'delete' ? (
        <DeleteUserDialog
          user={question.user}
          others={(rows ?? []).filter(({ login }) => login !== question.user.login)}
          wordpress={wordpress}
          onClose={close}
          onDone={() => void done(null)}
        />
      ) : null}
      {shown ? <PasswordDialog shown={shown} onClose={() => setShown(null)} /> : null}
    </Card>
  )
}

function Pager({ page, total, onPage }: { page: number; total: number; onPage: (page: number) => void }) {
  const from = page * usersPerPage + 1
  const to = Math.min(total, from + usersPerPage - 1)
  return (
    <div className="flex items-center gap-2 border-t border-hairline px-4 py-2 text-table">
      <span className="mr-auto text-muted">
        {t('users.page', { from: formatNumber(from), to: formatNumber(to), total: formatNumber(total) })}
      </span>
      <Button size="md" disabled={page === 0} onClick={() => onPage(page - 1)}>
        {t('users.previous')}
      </Button>
      <Button size="md" disabled={to >= total} onClick={() => onPage(page + 1)}>
        {t('users.next')}
      </Button>
    </div>
  )
}
