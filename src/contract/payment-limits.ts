// The limits of payments, and those of accounts with a plan; the others are in limits.ts.

export const paymentLimits = {
  proSandboxes: {
    env: 'LAB_PRO_SANDBOXES',
    public: 'sandboxes_per_account_with_plan',
    means: 'Sandboxes that one account with a plan may have at once.',
    least: 1,
    most: 10_000,
    default: 5,
  },
  proLongestMinutes: {
    env: 'LAB_PRO_LONGEST_MINUTES',
    public: 'sandbox_longest_minutes_with_plan',
    means: 'The longest life of a sandbox of an account with a plan, with all extensions.',
    least: 1,
    most: 24 * 60,
    default: 240,
  },
  checkoutMinutes: {
    env: 'LAB_CHECKOUT_MINUTES',
    public: 'checkout_minutes',
    means: 'How long a checkout session is open.',
    least: 1,
    most: 24 * 60,
    default: 30,
  },
  accountCheckouts: {
    env: 'LAB_ACCOUNT_CHECKOUTS',
    public: 'open_checkouts_per_account',
    means: 'Open checkout sessions that one account may have at once.',
    least: 1,
    most: 10_000,
    default: 10,
  },
} as const
