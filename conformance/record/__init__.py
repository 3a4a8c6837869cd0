"""What a record may say of an operator: parameters, contracts, rules, cells, edges, ladders."""
