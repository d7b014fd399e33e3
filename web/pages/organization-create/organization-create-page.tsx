import { useState } from 'react'
import { useWatch } from 'react-hook-form'
import { Link } from '#web/lib/routing/router.tsx'
import { slugFromTitle } from '#shared/rules/slugs.ts'
import { createDoc } from '#web/lib/api/api.ts'
import { redirectTo } from '#web/lib/browser/redirect-to.ts'
import { logOut } from '#web/lib/session/log-out.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { SlugStatus } from './slug-status.tsx'
import { useSlugState } from './use-slug-state.ts'
import { tCreate } from './messages.ts'

/** Creates an organization with the user as its owner: name, and slug with live availability. */
export function OrganizationCreatePage() {
  const { organizations, firstName, email, platformAdmin } = useSession()
  /** The slug follows the title until the user edits it. */
  const [ownSlug, setOwnSlug] = useState(false)
  const form = useApiForm({
    defaultValues: { title: '', slug: '' },
    send: async ({ title, slug }) => {
      await createDoc('Organization', { title: title.trim(), slug })
      // Reload: the session now belongs to the organization.
      await redirectTo('/web/')
    },
  })
  const slug = useWatch({ control: form.control, name: 'slug' })
  const state = useSlugState(slug)
  const follow = () => form.setValue('slug', slugFromTitle(form.getValues('title')))

  return (
    <PublicLayout
      title={tCreate('organization.create_title')}
      lead={tCreate('organization.create_lead')}
      foot={
        organizations.length > 0 ? (
          <Link to="/" className="link">
            {tCreate('organization.back')}
          </Link>
        ) : (
          <span className="wrap-anywhere">
            {tCreate('organization.signed_in_as', { name: firstName === email ? email : `${firstName} (${email})` })}{' '}
            <button type="button" className="link" onClick={() => logOut()}>
              {t('shell.logout')}
            </button>
            {platformAdmin ? (
              <>
                {' · '}
                <Link to="/platform" className="link whitespace-nowrap">
                  {tCreate('organization.platform')}
                </Link>
              </>
            ) : null}
          </span>
        )
      }
    >
      <form {...form.props} className="grid gap-4">
        {form.failure && <Notice tone="bad">{form.failure}</Notice>}
        <Field label={tCreate('organization.title')} error={form.errorOf('title')} required>
          <Input
            large
            {...form.register('title', {
              validate: (title) => title.trim() !== '' || tCreate('organization.title_missing'),
              onChange: () => {
                if (!ownSlug) follow()
                form.clearErrors()
              },
            })}
            autoComplete="organization"
            maxLength={80}
            placeholder={tCreate('organization.title_example')}
          />
        </Field>
        <Field
          label={tCreate('organization.slug')}
          error={form.errorOf('slug') ?? (state.kind === 'wrong' && ownSlug ? state.problem : null)}
          hint={tCreate('organization.slug_hint')}
          required
        >
          <Input
            large
            {...form.register('slug', {
              validate(value, { title }) {
                if (value === '') return title.trim() === '' || tCreate('organization.slug_missing')
                if (state.kind === 'taken') return tCreate('organization.taken')
                return state.kind !== 'wrong' || state.problem
              },
              onBlur: () => {
                if (form.getValues('slug') !== '') return
                setOwnSlug(false)
                follow()
              },
            })}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            maxLength={32}
            className="font-mono"
            onChange={(event) => {
              // The server rejects upper case, so lowercase it while typing.
              const typed = event.target.value.toLowerCase().replaceAll(' ', '-')
              form.setValue('slug', typed)
              setOwnSlug(true)
              form.clearErrors()
            }}
            suffix={<SlugStatus state={state} />}
          />
        </Field>
        <Button type="submit" variant="primary" size="xl" block busy={form.busy}>
          {form.busy ? tCreate('organization.busy') : tCreate('organization.submit')}
        </Button>
      </form>
    </PublicLayout>
  )
}
