import { useEffect, useEffectEvent, useId, useState, type ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { siteTypeLabels, siteTypes, type Site } from '#shared/doctypes/site.ts'
import { phpVersions } from '#shared/responses/engine.ts'
import { engineCapabilities } from '#web/documents/actions/action-responses.ts'
import { DocForm, DraftNote, FormFailure } from '#web/documents/form/form.tsx'
import { FormField } from '#web/documents/form/form-field.tsx'
import { useForm, type FormControl } from '#web/documents/form/use-form.ts'
import { createDoc } from '#web/lib/api/api.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { useFailureToast } from '#web/lib/api/use-failure-toast.ts'
import { Button } from '#web/ui/button.tsx'
import { PageHead, StickyAction } from '#web/ui/page-head.tsx'
import { RadioCard, RadioCards } from '#web/ui/form/radio-card.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { CreateSummary } from './create-summary.tsx'
import { DatabaseChoice } from './database-choice.tsx'
import { DomainNote } from './domain-note.tsx'
import { useEligibleServers } from './eligible-servers.ts'
import { FormSection } from './form-section.tsx'
import { MultisiteChoice } from './multisite-choice.tsx'
import { t } from './messages.ts'
import { addressOf, NewNameField } from './new-name/new-name-field.tsx'
import { ServerChoice } from './server-choice.tsx'
import { ServerOptions } from './server-options.tsx'
import { serverSiteForm } from './server-site-form.ts'
import { SslChoice } from './ssl-choice.tsx'
import { StartFrom } from './start-from.tsx'
import { CreateWhere } from './wp-cloud/create-where.tsx'
import {
  adminUserFrom,
  defaultPhpVersion,
  siteForm,
  siteNameProblem,
  titleFrom,
  withDomain,
  withName,
  type SiteNames,
} from './site-form.ts'

const draftKey = 'site-create'

/** Creates a site on a server, or at WP Cloud where that is on. */
export function SiteCreatePage() {
  return <CreateWhere>{(choice) => <ServerSiteForm choice={choice} />}</CreateWhere>
}

/** Creates a site on one page, then opens its page with the job's drawer. A site can also start as a copy. */
function ServerSiteForm({ choice }: { choice: ReactNode }) {
  const { email, organization, refresh } = useSession()
  const navigate = useNavigate()
  const formId = useId()
  // What the chosen server names its sites by, once it is known.
  const [names, setNames] = useState<SiteNames>('label')
  const control = useForm(names === 'domain' ? serverSiteForm : siteForm, {
    draftKey,
    initial: { admin_email: email, admin_user: adminUserFrom(email) },
    save: async (payload) => {
      const site = await createDoc<Site & { job?: string }>('Site', {
        title: titleFrom(String(payload['domain']).split('.')[0] ?? ''),
        ...payload,
        organization: organization?.name,
      })
      // The plan's usage changed; the next page doesn't wait for it.
      void refresh()
      const job = site.job ?? site.locked_by_job
      void navigate(`/site/${encodeURIComponent(site.name)}${job ? `?job=${encodeURIComponent(job)}` : ''}`)
    },
  })
  const { values, set, preset } = control
  const chosen = String(values['server'] ?? '')
  const servers = useEligibleServers(chosen)
  const isMissing = servers.chosen === null
  const first = servers.found.data?.[0]?.value
  const choose = useEffectEvent((name: string) => preset('server', name))
  useEffect(() => {
    // Most users have one server, so preselect it. A draft's server may no longer exist.
    if (first !== undefined && isMissing) choose(first)
  }, [first, isMissing])
  // After the preselection, which it replaces.
  const forgetAsked = useAskedServer((name) => preset('server', name))

  const engine = useMethod(
    chosen === '' ? null : 'easydash.api.engine.capabilities',
    { server: chosen },
    { returns: engineCapabilities },
  )
  const found = engine.data?.site_names
  if (found !== undefined && found !== names) setNames(found)
  // A form is shown once it is that of the chosen server: not the one before, and none that is replaced at once.
  const { found: offered } = servers
  const hasNone = offered.error !== null || offered.data?.length === 0
  const isKnown = chosen === '' ? hasNone : engine.data !== undefined || engine.error !== null

  const address = addressOf(String(values['domain'] ?? ''), names)
  const server = servers.shown.find(({ value }) => value === chosen)
  const titleField = <FormField control={control} name="title" hint={t('create.title_hint')} />
  return (
    <>
      <PageHead title={t('create.title')}>
        <DraftNote control={control} />
      </PageHead>
      {choice}
      <StartFrom>
        <div className="grid items-start gap-8 xl:grid-cols-[minmax(0,1fr)_320px]">
          <DocForm id={formId} control={control} label={t('create.title')} className="min-w-0">
            <FormSection title={t('create.where')}>
              <ServerChoice
                servers={servers}
                value={chosen}
                error={control.errors['server']}
                onChange={(name) => {
                  set('server', name)
                  forgetAsked()
                }}
              />
            </FormSection>
            <FormSection title={t('create.what')} hint={t('create.what_hint')}>
              <KindChoice control={control} />
              <PhpChoice control={control} />
              {isKnown && values['site_type'] === 'wp' && names === 'label' ? (
                <DatabaseChoice
                  server={chosen}
                  chosen={values['database'] === 'mysql' ? 'mysql' : 'sqlite'}
                  error={control.errors['database'] ?? null}
                  onChange={(kind) => set('database', kind)}
                />
              ) : null}
              {isKnown && values['site_type'] === 'php' && names === 'domain' ? (
                <ServerOptions control={control} server={chosen} kind="php" />
              ) : null}
            </FormSection>
            <FormSection title={t('create.address')} hint={t('create.address_hint')}>
              {!isKnown ? (
                <div aria-busy="true" className="grid h-[88px] content-start gap-1.5">
                  <Skeleton className="h-3 w-16" />
                  <Skeleton className="h-9 w-full" />
                </div>
              ) : (
                <NameChoice control={control} names={names} server={chosen} />
              )}
              {isKnown && names === 'domain' ? <SslChoice control={control} server={chosen} /> : null}
              {values['site_type'] === 'wp' ? null : titleField}
            </FormSection>
            {values['site_type'] === 'wp' ? (
              <FormSection title={t('create.wordpress')} hint={t('create.wordpress_hint')}>
                {titleField}
                <div className="grid grid-cols-2 gap-4 max-md:grid-cols-1">
                  <FormField
                    control={control}
                    name="admin_user"
                    clean={(value) => value.toLowerCase()}
                    autoComplete="off"
                  />
                  <FormField
                    control={control}
                    name="admin_email"
                    hint={t('create.admin_email_hint')}
                    autoComplete="email"
                  />
                </div>
                <MultisiteChoice control={control} server={chosen} />
                {isKnown && names === 'domain' ? <ServerOptions control={control} server={chosen} kind="wp" /> : null}
              </FormSection>
            ) : null}
            <FormFailure control={control} />
          </DocForm>
          <CreateSummary
            control={control}
            formId={formId}
            server={server ? (server.label ?? server.value) : null}
            address={address}
            isOnServer={names === 'domain'}
          />
        </div>
        <StickyAction>
          <Button type="submit" form={formId} variant="primary" busy={control.busy}>
            {t('create.submit')}
          </Button>
        </StickyAction>
      </StartFrom>
    </>
  )
}

/**
 * Presets the server that the address names, instead of a draft's. It stays in the address until another one is chosen, which the
 * result says: a preset is no part of the draft, so a reload or the way back would forget it.
 */
function useAskedServer(preset: (name: string) => void): () => void {
  const [params, setParams] = useSearchParams()
  const asked = params.get('server')
  const onAsked = useEffectEvent(preset)
  useEffect(() => {
    if (asked) onAsked(asked)
  }, [asked])
  return () => {
    if (!asked) return
    setParams(
      (current) => {
        current.delete('server')
        return current
      },
      { replace: true },
    )
  }
}

/** The name, which a title that nobody edited follows, and whether a domain points at the server. */
function NameChoice({ control, names, server }: { control: FormControl; names: SiteNames; server: string }) {
  const { values, errors } = control
  const domain = String(values['domain'] ?? '')
  return (
    <div className="grid gap-1.5">
      <NewNameField
        names={names}
        name={domain}
        error={errors['domain'] ?? null}
        field={{ name: 'domain', onBlur: () => control.blur('domain') }}
        onName={(_text, typed) => {
          const next = names === 'domain' ? withDomain(values, typed) : withName(values, typed)
          control.preset('title', next.title)
          control.set('domain', next.domain)
        }}
      />
      {names === 'domain' ? (
        <DomainNote domain={domain} isFine={siteNameProblem(domain, names) === null} server={server} />
      ) : null}
    </div>
  )
}

function KindChoice({ control }: { control: FormControl }) {
  const descriptions = { wp: t('create.wp'), php: t('create.php'), html: t('create.html') }
  return (
    <RadioCards
      legend={t('create.kind')}
      className="grid-cols-3 gap-2 max-md:grid-cols-1"
      error={control.errors['site_type'] ?? null}
    >
      {siteTypes.map((kind) => (
        <RadioCard
          key={kind}
          name="site_type"
          value={kind}
          title={siteTypeLabels[kind]}
          description={descriptions[kind]}
          checked={control.values['site_type'] === kind}
          onChange={() => control.set('site_type', kind)}
        />
      ))}
    </RadioCards>
  )
}

/** PHP versions available for sites, on the chosen server. */
function PhpChoice({ control }: { control: FormControl }) {
  const server = String(control.values['server'] ?? '')
  const versions = useMethod('easydash.api.site.php.get_versions', server === '' ? {} : { server }, {
    verb: 'POST',
    returns: phpVersions,
  })
  useFailureToast(t('create.php_versions_error'), versions.error)
  const offered = versions.data
  const current = String(control.values['php_version'] ?? '')
  const start = useEffectEvent((versions: readonly string[]) =>
    control.preset('php_version', defaultPhpVersion(versions)),
  )
  useEffect(() => {
    if (offered && offered.length > 0 && !offered.includes(current)) start(offered)
  }, [offered, current])
  if (control.values['site_type'] === 'html') return null
  return (
    <div className="max-w-60">
      <FormField
        control={control}
        name="php_version"
        label={t('create.php_version')}
        {...(offered && { choices: offered.map((version) => ({ value: version, label: version })) })}
        hint={versions.error ? `${t('create.php_versions_error')}: ${versions.error.message}` : undefined}
      />
    </div>
  )
}
