import { jobLabelMessage, msg, type LocalizedMessage } from '../localized-message.ts'

/** What to do while a job is in the way. `label` is null of a job that no longer exists. */
export function runningJobMessage({
  name,
  label,
  reference_title: title,
}: {
  readonly name: string
  readonly label: string | null
  readonly reference_title: string | null
}): LocalizedMessage {
  return msg`“${label ? jobLabelMessage(label, title) : name}” is still running. Wait for it or cancel it.`
}
