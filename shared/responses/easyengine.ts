/** What EasyEngine gets to know of its dashboard. */
import * as z from 'zod/mini'

export const serverList = z.array(
  z.object({ name: z.string(), hostname: z.string(), public_ipv4: z.nullable(z.string()) }),
)

export const siteList = z.array(z.object({ name: z.string(), domain: z.string() }))

export const registeredDocument = z.object({ name: z.string() })
