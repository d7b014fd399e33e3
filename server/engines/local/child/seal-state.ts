/** Whether this process was locked down (`lock-down.ts`); irreversible. */
export const sealState = { sealed: false }
