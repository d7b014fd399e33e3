/** Whether this process was locked down (`lock-down.ts`); it never goes back. */
export const sealState = { sealed: false }
