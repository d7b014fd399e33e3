import { useState, type FormEvent } from 'react'
import { Link } from '#web/lib/routing/router.tsx'
import { slugFromTitle } from '#shared/rules/slugs.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { createDoc } from '#web/lib/api/api.ts'
import { focusFirstError, serverErrors, type FormErrors } from '#web/lib/api/form-errors.ts'
import { logOut } from '#web/lib/session/log-out.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PublicLayout } from '#web/ui/public-layout.tsx'
import { SlugStatus } from './slug-status.tsx'
import { useSlugState } from './use-slug-state.ts'
import { words } from './messages.ts'

/** Creates an organization with the user as its owner: name, and slug with live availability. */
export function OrganizationCreatePage() {
  const { organizations, firstName, email, platformAdmin } = useSession()
  const [title, setTitle] = useState('')
  /** Null while the slug follows the title. */
  const [ownSlug, setOwnSlug] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<FormErrors>({})
  const slug = ownSlug ?? slugFromTitle(title)
  const state = useSlugState(slug)

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    if (busy) return
    const form = event.currentTarget
    const wrong = {
      ...(title.trim() === '' && { title: words('organization.title_missing') }),
      ...(title.trim() !== '' && slug === '' && { slug: words('organization.slug_missing') }),
      ...(state.kind === 'wrong' && { slug: state.problem }),
      ...(state.kind === 'taken' && { slug: words('organization.taken') }),
    }
    if (Object.keys(wrong).length > 0) {
      setErrors(wrong)
      focusFirstError(form)
      return
    }
    setBusy(true)
    setErrors({})
    try {
      await createDoc('Organization', { title: title.trim(), slug })
      // Reload: the session now belongs to the organization.
      location.assign('/web/')
    } catch (error) {
      setBusy(false)
      setErrors(serverErrors(toApiError(error), ['title', 'slug']))
      focusFirstError(form)
    }
  }

  return (
    <PublicLayout
      title={words('organization.create_title')}
      lead={words('organization.create_lead')}
      foot={
        organizations.length > 0 ? (
          <Link to="/" className="link">
            {words('organization.back')}
          </Link>
        ) : (
          <span className="wrap-anywhere">
            {words('organization.signed_in_as', { name: firstName === email ? email : `${firstName} (${email})` })}{' '}
            <button type="button" className="link" onClick={() => logOut()}>
              {t('shell.logout')}
            </button>
            {platformAdmin ? (
              <>
                {' · '}
                <Link to="/platform" className="link whitespace-nowrap">
                  {words('organization.platform')}
                </Link>
              </>
            ) : null}
          </span>
        )
      }
    >
      <form noValidate className="grid gap-4" onSubmit={(event) => void submit(event)}>
        {errors[''] && <Notice tone="bad">{errors['']}</Notice>}
        <Field label={words('organization.title')} error={errors['title']} required>
          <Input
            large
            name="title"
            autoComplete="organization"
            maxLength={80}
            value={title}
            placeholder={words('organization.title_example')}
            onChange={(event) => {
              setTitle(event.target.value)
              setErrors({})
            }}
          />
        </Field>
        <Field
          label={words('organization.slug')}
          error={errors['slug'] ?? (state.kind === 'wrong' && ownSlug !== null ? state.problem : null)}
          hint={words('organization.slug_hint')}
          required
        >
          <Input
            large
            name="slug"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            maxLength={32}
            className="font-mono"
            value={slug}
            onChange={(event) => {
              // The server rejects upper case, so lowercase it while typing.
              setOwnSlug(event.target.value.toLowerCase().replaceAll(' ', '-'))
              setErrors({})
            }}
            onBlur={() => {
              if (ownSlug === '') setOwnSlug(null)
            }}
            suffix={<SlugStatus state={state} />}
          />
        </Field>
        <Button type="submit" variant="primary" size="xl" block busy={busy}>
          {busy ? words('organization.busy') : words('organization.submit')}
        </Button>
      </form>
    </PublicLayout>
  )
}
