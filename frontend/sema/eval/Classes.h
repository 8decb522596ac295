// Classes: the types that they are to kernels, and what values of those types have.
#pragma once

#include "frontend/sema/Context.h"
#include "frontend/sema/Struct.h"

namespace sextant::sema {

/// Returns what the expression names, through imports and other names of the module:
/// "quadrants.dataclass", "enum.IntEnum". Empty if it is nothing imported.
std::string importedAs(const ast::Expr &expr, const ModuleScope &module);
StructType::Kind kindOf(const ast::ClassDef &definition, const ModuleScope &module);

/// Returns the type that a class of a module is.
Value classType(Context &cx, ModuleScope &module, const ast::ClassDef &definition);
/// Reports a class that has no values in kernels. Returns true if the type has.
bool hasValues(Context &cx, const StructType &type, SourceRange at);

/// Python's order of a class and its bases for names. It is exact for diamonds; where bases have
/// bases in contradicting orders, Python refuses the class.
std::vector<const StructType *> resolutionOrder(const StructType &type);
/// Returns the method that the class itself defines as a function, or nullopt.
std::optional<Value> ownMethod(const StructType &type, std::string_view name);
/// Returns the method as a function, or nullopt.
std::optional<Value> findMethod(const StructType &type, std::string_view name);
/// True for a method of the class, which an instance may give as a member: `self.law=Wind.linear`.
bool isMethodOf(const StructType &type, const Value &value);
/// True for an alias, and for a list that holds one.
bool leadsElsewhere(const Value &value);
/// The value at a path below an object, "solver.forces.0": of members, and of items of lists. Null
/// if there is none.
const Value *valueAt(const Value &object, std::string_view path);
/// Returns the method that a path from an object leads to, as of that object, or nullopt.
std::optional<Value> methodAt(const Value &object, std::string_view path);
/// Returns a member, a method or a name of the class.
Value structMember(Context &cx, const Value &object, std::string_view name, SourceRange at);
/// Returns a name of the class: `Mode.FAST`.
Value classMember(Context &cx, const Value &type, std::string_view name, SourceRange at);

/// Returns what a name, or a member or a property of a struct, stands for, if that is known without
/// evaluating anything else. It also knows the members and gradients of arrays. Null if not known.
const Value *knownValue(Context &cx, const ast::Expr &expr);
/// Returns the type if the expression names a struct in a variable or in memory, else null.
/// Evaluates nothing.
std::shared_ptr<const StructType> structAt(Context &cx, const ast::Expr &expr);
/// Calls a struct's type: `Particle(pos, mass=1.0)`.
Value makeStruct(Context &cx, const std::shared_ptr<const StructType> &type, const ast::Call &node,
                 SourceRange at);

//===--- Objects that kernels make (Objects.cpp) ---------------------------===//

/// Makes an object of a `@qd.data_oriented` class: runs its `__init__`, where each `self.x = value`
/// gives the object a member.
Value makeObject(Context &cx, const std::shared_ptr<const StructType> &type, const ast::Call &node,
                 SourceRange at);
/// Returns the object that is made if the expression names the object of an `__init__` that runs,
/// there or in a function that it calls; else null.
VariablePtr objectInMaking(Context &cx, const ast::Expr &expr);
/// `self.x = value` of an object that is made.
void giveMember(Context &cx, Variable &object, const ast::Attribute &target, const Value &value,
                SourceRange at);
/// True for `super()` in a method.
bool isSuper(Context &cx, const ast::Expr &expr);
/// `super().method(…)`: calls the method of the next class in the order of resolution.
Value callSuper(Context &cx, const ast::Attribute &method, const ast::Call &node, SourceRange at);

//===--- Objects that host code makes (HostObjects.cpp) --------------------===//

/// A value that host code computes when it runs.
/// \param what it is, for messages: "`self.n`"
Value unknownOnHost(const std::string &what);
/// True of what is unknown, and of a list or a dictionary that holds something unknown.
bool holdsUnknown(const Value &value);
/// Returns the value of an expression of host code, as far as it can be read: poison if it cannot;
/// items of a tuple or a list may be unknown.
Value knownParts(Context &cx, const ast::Expr &expr);
/// Runs the body of an `__init__` as host code, as far as it can be read. Members that cannot are
/// unknown.
void runOnHost(Context &cx, const ast::Block &body);
/// Makes the members unknown that other host code assigns, in the files of its classes or in the
/// main one, and fields without a shape.
void forgetChanged(Context &cx, Value &object);
/// Names the fields of an object, or of a list, that have no name: "solar.x".
void nameFields(Value &value, SourceRange at, const std::string &name);

} // namespace sextant::sema
