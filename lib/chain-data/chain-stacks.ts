import { NestedStack } from 'aws-cdk-lib';
import { Construct } from 'constructs';

/**
 * A nested stack for each chain, with all that the chain alone has: a stack takes 500 resources, and a chain that comes or
 * goes changes nothing of another.
 */
export class ChainStacks extends Construct {
  /** Where a chain's part of a concern belongs, such as `Indexing`. */
  of(chain: string, concern: string): Construct {
    const id = `Chain-${chain}`;
    const known = this.node.tryFindChild(id);
    const stack = known ?? new NestedStack(this, id, { description: `What chain ${chain} has alone` });
    const part = stack.node.tryFindChild(concern) ?? new Construct(stack, concern);
    return part as Construct;
  }
}
