import * as z from 'zod/mini'
import { described } from '../schema.ts'

/** What `deploy` and `roll_back` return. */
export const deploymentStarted = z.object({
  job: described(z.string(), 'Name of the job that deploys'),
  deployment: described(
    z.optional(z.string()),
    'Name of the Deployment; absent while the job waits for another one of the site',
  ),
})
