import { platformAdmins } from './chain-heads.ts'
import type { HeadExportContext } from './head-export-context.ts'
import { alarmMail } from './head-mails.ts'

/** Logs each finding once and emails it once to each platform admin; failed emails are retried in the next round. */
export async function raiseAlarm(context: HeadExportContext, found: readonly string[]): Promise<void> {
  const { deps, findings } = context
  const fresh = found.filter((finding) => !findings.has(finding))
  for (const finding of fresh) findings.set(finding, new Set())
  if (fresh.length > 0)
    deps.log.error('The activity log does not agree with what was recorded of it', { findings: fresh })
  if (findings.size === 0) return
  for (const to of await platformAdmins(deps.db)) await mailFindings(context, to)
}

/** Emails the findings that this admin was not emailed about yet. */
async function mailFindings({ deps, findings }: HeadExportContext, to: string): Promise<void> {
  const unsent = [...findings].flatMap(([finding, recipients]) => (recipients.has(to) ? [] : [finding]))
  if (unsent.length === 0) return
  try {
    await deps.send(alarmMail(deps.sender, to, unsent))
    for (const finding of unsent) findings.get(finding)?.add(to)
  } catch (error) {
    deps.log.error('The alarm of the activity log could not be mailed; it is tried again', { error })
  }
}
