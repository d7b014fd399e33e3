/** States of a mail. `Printed`: stored instead of sent, because there is no SMTP server. */
export const mailStatuses = ['Queued', 'Sending', 'Sent', 'Printed', 'Failed'] as const
