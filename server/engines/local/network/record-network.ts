import { isObject } from '#shared/parse-json.ts'
import { isOrigin } from '../domains/record-domains.ts'

/** What makes a site a network. */
export interface RecordNetwork {
  /** It is a sub-directory network. */
  network?: {
    /** Scheme, host and port of its address as its database and configuration have it. */
    readonly origin: string
  }
  /** It is being made one, which is neither finished nor taken back: visitors are kept out. */
  conversion?: {
    /** The state before is complete beside the current one. */
    readonly saved?: true
  }
}

/** Keeps what is valid. */
export function parseNetwork(given: Readonly<Record<string, unknown>>): RecordNetwork {
  const { network, conversion } = given
  const origin = isObject(network) ? network['origin'] : null
  return {
    ...(isOrigin(origin) ? { network: { origin } } : {}),
    ...(isObject(conversion) ? { conversion: conversion['saved'] === true ? { saved: true } : {} } : {}),
  }
}
