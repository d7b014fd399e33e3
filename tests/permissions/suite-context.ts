/** The product with all people and documents of the permission suite, on a separate database. */
import { ConnectionDoctype } from '#shared/doctypes/connection.ts'
import { connectionKinds } from '#shared/doctypes/connections.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { createProductDatabase } from '#tests/support/database.ts'
import { openSuiteProduct, type SuiteProduct } from './product.ts'
import { openTestContext, type TestContext } from './test-context.ts'

/** Opened by a test file before its tests and closed after them. */
export interface SuiteContext {
  readonly product: SuiteProduct
  readonly context: TestContext
  close(): Promise<void>
}

/**
 * @param options.withJobs starts the queue and adds a running server and an account at WP Cloud, so that sites can be created there;
 * `concurrency`: jobs of it that run at a time
 */
export async function openSuiteContext({
  withJobs = false,
  concurrency,
}: { withJobs?: boolean; concurrency?: number } = {}): Promise<SuiteContext> {
  const database = await createProductDatabase()
  const product = await openSuiteProduct(database.connection, concurrency)
  const context = await openTestContext(product)
  if (withJobs) {
    await product.services.jobs.start()
    const running = { engine: 'fake', engine_host: 'fake:this', status: 'Healthy' }
    await product.services.documents.transaction(product.system, async (tx) => {
      await tx.update('Server', context.subjects.get('Server/dev')?.name ?? '', running, { hooks: false })
      await tx.update(OrganizationDoctype, 'acme', { module_wpc: 1 }, { hooks: false })
      const account = await tx.find(ConnectionDoctype, [
        ['organization', '=', 'acme'],
        ['kind', '=', connectionKinds.wpc],
        ['is_default', '=', 1],
      ])
      const credentials = { wpc_api_key: 'key', wpc_client_id: 'acme' }
      await tx.update(ConnectionDoctype, account?.name ?? '', credentials, { hooks: false })
    })
  }
  return {
    product,
    context,
    close: async () => {
      if (withJobs) await product.services.jobs.stop()
      await product.close()
      await database.drop()
    },
  }
}
