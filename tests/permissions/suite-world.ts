/** The product with everybody and everything of the permission suite in it, on a database of its own. */
import { createTestDatabase } from '#tests/support/database.ts'
import { openSuiteProduct, type SuiteProduct } from './product.ts'
import { openWorld, type World } from './world.ts'

/** What a test file opens before its tests and closes after them. */
export interface SuiteWorld {
  readonly product: SuiteProduct
  readonly world: World
  close(): Promise<void>
}

/** @param options.withJobs opens the queue, and a server that runs, so that sites can be made on it */
export async function openSuiteWorld({ withJobs = false }: { withJobs?: boolean } = {}): Promise<SuiteWorld> {
  const database = await createTestDatabase()
  const product = await openSuiteProduct(database.connection)
  const world = await openWorld(product)
  if (withJobs) {
    await product.services.jobs.start()
    const running = { engine: 'fake', engine_host: 'fake:this', status: 'Healthy' }
    await product.services.documents.transaction(product.system, (tx) =>
      tx.update('Server', world.subjects.get('Server/dev')?.name ?? '', running, { hooks: false }),
    )
  }
  return {
    product,
    world,
    close: async () => {
      if (withJobs) await product.services.jobs.stop()
      await product.close()
      await database.drop()
    },
  }
}
